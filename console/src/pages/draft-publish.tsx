import { useState } from 'react'
import { useLocation } from 'wouter'
import { ask } from '../api.ts'
import { instantsOnClock } from '../moments.ts'
import { ClockField } from '../parts/clock-field.tsx'
import { Dialog, DialogFooter } from '../parts/dialog.tsx'
import type { Issue } from '../parts/editor.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { BothClocks } from '../parts/moment.tsx'
import { Failure } from '../parts/states.tsx'
import { useRequest } from '../request.ts'
import { useInvalidate } from '../responses.ts'
import type { Edited } from '../saved-draft.ts'
import { useZone } from '../zone.ts'

/** The form that publishes a draft, and its confirmation. */
export function PublishDraft({
  draft,
  issues,
  isSaved,
  failedCases,
}: Readonly<{ draft: Edited; issues: readonly Issue[]; isSaved: boolean; failedCases: number }>) {
  const [, go] = useLocation()
  const invalidate = useInvalidate()
  const [from, setFrom] = useState('')
  const [note, setNote] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { run, failure, busy } = useRequest()
  const zone = useZone()
  const [starts] = instantsOnClock(from, zone) ?? []
  const isInvalidTime = from !== '' && starts === undefined
  const isAhead = starts !== undefined && Date.parse(starts) > Date.now()
  const data = {
    source: draft.source,
    ...(note.trim() === '' ? {} : { note }),
    ...(starts === undefined ? {} : { from: starts }),
  }
  const publish = () =>
    run(async () => {
      try {
        await ask('POST /api/admin/programs', { data })
        await invalidate('GET /api/admin/programs', 'GET /api/admin/programs/:version')
      } catch (error) {
        setAsking(false)
        throw error
      }
      go('/program')
    })
  return (
    <div className="form">
      <p className="quiet">A published version never changes. It can be withdrawn until it takes effect.</p>
      {issues.length > 0 && <p className="bad">It has errors: see Edit.</p>}
      {failedCases > 0 && <p className="warn">{failedCases} of its cases failed: see Cases.</p>}
      <ClockField label="Effective from" value={from} onChange={setFrom} empty="now" />
      <label className="field narrow">
        <span>Note</span>
        <input value={note} maxLength={500} onChange={(event) => setNote(event.target.value)} />
        <span className="hint">Changes and reasons, stored with the version.</span>
      </label>
      <Failure error={failure} />
      <div className="actions">
        <Guarded
          scope="publish"
          className="button primary"
          onClick={() => setAsking(true)}
          disabled={issues.length > 0 || !isSaved || isInvalidTime}
        >
          {isAhead ? 'Schedule' : 'Publish'}
        </Guarded>
      </div>
      {isAsking && (
        <Dialog title={`${isAhead ? 'Schedule' : 'Publish'} ${draft.name}?`} onClose={() => setAsking(false)}>
          <p>
            It applies to every order from {starts === undefined ? 'now' : <BothClocks at={starts} />} on
            {isAhead ? '. Until then it can be withdrawn.' : ', on every replica within a second.'}
          </p>
          <DialogFooter
            label={isAhead ? 'Schedule' : 'Publish now'}
            onDo={publish}
            onCancel={() => setAsking(false)}
            disabled={busy}
          />
        </Dialog>
      )}
    </div>
  )
}

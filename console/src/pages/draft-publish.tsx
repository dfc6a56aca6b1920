import { useState } from 'react'
import { useLocation } from 'wouter'
import { useInvalidate } from '../answers.ts'
import { ask } from '../api.ts'
import { momentsOnClock, momentWithOffset } from '../moments.ts'
import { Dialog, DialogFooter } from '../parts/dialog.tsx'
import type { Fault } from '../parts/editor.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { BothClocks } from '../parts/moment.tsx'
import { Failure } from '../parts/states.tsx'
import { useRequest } from '../request.ts'
import type { Edited } from '../saved-draft.ts'
import { useZone } from '../zone.ts'

/** The form that publishes a draft, and its confirmation. */
export function PublishDraft({
  draft,
  faults,
  isSaved,
  failedCases,
}: Readonly<{ draft: Edited; faults: readonly Fault[]; isSaved: boolean; failedCases: number }>) {
  const [, go] = useLocation()
  const invalidate = useInvalidate()
  const [from, setFrom] = useState('')
  const [note, setNote] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { run, failure, busy } = useRequest()
  const zone = useZone()
  const moments = from === '' ? [] : momentsOnClock(from, zone)
  const [starts, again] = moments ?? []
  const isNoMoment = from !== '' && starts === undefined
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
      {faults.length > 0 && <p className="bad">It has faults: see Edit.</p>}
      {failedCases > 0 && <p className="warn">{failedCases} of its cases failed: see Cases.</p>}
      <label className="field narrow">
        <span>Holds from</span>
        <input
          type="datetime-local"
          max="9999-12-31T23:59"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        {moments === undefined ? (
          <span className="bad">This is not a moment: a year has four digits.</span>
        ) : isNoMoment ? (
          <span className="bad">This time does not exist in {zone}: clocks are put forward over it.</span>
        ) : again !== undefined ? (
          <span className="warn">
            Clocks in {zone} are put back over this time, so that it comes twice. The first is taken:{' '}
            {momentWithOffset(starts!, zone)}.
          </span>
        ) : (
          <span className="hint">In the time zone of the program, {zone}; at once, if empty.</span>
        )}
      </label>
      <label className="field narrow">
        <span>Note</span>
        <input value={note} maxLength={500} onChange={(event) => setNote(event.target.value)} />
        <span className="hint">What changes, and why: it stays with the version.</span>
      </label>
      <Failure error={failure} />
      <div className="actions">
        <Guarded
          scope="publish"
          className="button primary"
          onClick={() => setAsking(true)}
          disabled={faults.length > 0 || !isSaved || isNoMoment}
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

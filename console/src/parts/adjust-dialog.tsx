import { type FormEvent, useState } from 'react'
import { ask } from '../api.ts'
import { grouped, negated, signed, sumOf } from '../exact.ts'
import { useRequest } from '../request.ts'
import { useInvalidate } from '../responses.ts'
import { Dialog, DialogFooter } from './dialog.tsx'
import { ReasonField } from './reason-field.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { Failure } from './states.tsx'

type Adjustment = Readonly<{ id: string; points: number; counts: boolean; reason: string }>

/** Points that no order earned, or that were spent: first the change, then what it leads to. Its id makes a second click harmless. */
export function AdjustDialog({
  userId,
  points,
  onClose,
}: Readonly<{ userId: string; points: number; onClose: () => void }>) {
  const invalidate = useInvalidate()
  const [id] = useState(() => `console-${crypto.randomUUID().slice(0, 8)}`)
  return (
    <ReviewDialog<Adjustment>
      title={`Adjust the points of ${userId}`}
      onClose={onClose}
      read={(form) => ({
        id: String(form.get('id')),
        points: Number(form.get('points')),
        counts: form.get('counts') !== null,
        reason: String(form.get('reason')),
      })}
      fields={(adjustment) => (
        <>
          <label className="field">
            <span>Points</span>
            <input
              name="points"
              type="number"
              step="1"
              min={Number.MIN_SAFE_INTEGER}
              max={Number.MAX_SAFE_INTEGER}
              required
              defaultValue={adjustment?.points}
              onInput={({ currentTarget: field }) =>
                field.setCustomValidity(field.valueAsNumber === 0 ? 'An adjustment of 0 points changes nothing.' : '')
              }
            />
            <span className="hint">A negative number deducts points.</span>
          </label>
          <ReasonField value={adjustment?.reason} />
          <label className="check">
            <input name="counts" type="checkbox" defaultChecked={adjustment?.counts ?? false} />
            counts for the level
          </label>
          <label className="field">
            <span>ID</span>
            <input name="id" required maxLength={200} defaultValue={adjustment?.id ?? id} />
            <span className="hint">Idempotency key: posted only once per player.</span>
          </label>
        </>
      )}
      review={(adjustment) => ({
        title: 'Post this adjustment?',
        text: (
          <>
            <p>
              {userId} has {grouped(points)} points and will have{' '}
              <strong className="number">{grouped(sumOf([points, adjustment.points]))}</strong> (
              {signed(adjustment.points)}, “{adjustment.reason}”). It {adjustment.counts ? 'counts' : 'does not count'}{' '}
              for the level.
            </p>
            <p className="quiet">
              The ledger is append-only. To reverse this, use <em>Undo</em> beside the entry.
            </p>
          </>
        ),
        label: `Post ${signed(adjustment.points)}`,
        make: async () => {
          await ask('POST /api/players/:user_id/adjustments', { params: { user_id: userId }, data: adjustment })
          await invalidate('GET /api/players/:user_id')
        },
      })}
    />
  )
}

/** Takes an adjustment back with an entry of its own. An adjustment is undone once, so a second click is harmless. */
export function UndoDialog({
  userId,
  adjustment: { id, points, reason: why },
  onClose,
}: Readonly<{
  userId: string
  adjustment: Readonly<{ id: string; points: number; reason?: string | undefined }>
  onClose: () => void
}>) {
  const invalidate = useInvalidate()
  const { run, failure, busy } = useRequest()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const reason = String(new FormData(event.currentTarget).get('reason'))
    void run(async () => {
      const params = { user_id: userId, adjustment_id: id }
      await ask('POST /api/players/:user_id/adjustments/:adjustment_id/undo', { params, data: { reason } })
      await invalidate('GET /api/players/:user_id')
      onClose()
    })
  }
  return (
    <Dialog title={`Undo ${id}?`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p>
          An entry of <strong className="number">{signed(negated(points))}</strong> points reverses the adjustment of{' '}
          {signed(points)} (“{why}”), as if it had never been made. It cannot be undone itself.
        </p>
        <ReasonField />
        <Failure error={failure} />
        <DialogFooter label={`Post ${signed(negated(points))}`} onCancel={onClose} kind="danger" disabled={busy} />
      </form>
    </Dialog>
  )
}

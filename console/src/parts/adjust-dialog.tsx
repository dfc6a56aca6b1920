import { type FormEvent, useState } from 'react'
import { useForget } from '../answers.ts'
import { ask } from '../api.ts'
import { grouped, signed } from '../exact.ts'
import { useRequest } from '../request.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

type Adjustment = Readonly<{ id: string; points: number; counts: boolean; reason: string }>

/** Points that no order earned, or that were spent: first what, then what it leads to. Its own id makes a second press harmless. */
export function AdjustDialog({
  userId,
  points,
  onClose,
}: Readonly<{ userId: string; points: number; onClose: () => void }>) {
  const forget = useForget()
  const [id] = useState(() => `console-${crypto.randomUUID().slice(0, 8)}`)
  const [adjustment, setAdjustment] = useState<Adjustment>()
  const [isReviewing, setReviewing] = useState(false)
  const { run, failure, busy, clear } = useRequest()

  const review = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setAdjustment({
      id: String(form.get('id')),
      points: Number(form.get('points')),
      counts: form.get('counts') !== null,
      reason: String(form.get('reason')),
    })
    clear()
    setReviewing(true)
  }
  const book = () =>
    run(async () => {
      await ask('POST /api/players/:user_id/adjustments', { params: { user_id: userId }, data: adjustment })
      await forget('GET /api/players/:user_id')
      onClose()
    })
  if (isReviewing && adjustment !== undefined)
    return (
      <Dialog title="Book this adjustment?" onClose={onClose}>
        <p>
          {userId} has {grouped(points)} points and will have{' '}
          <strong className="number">{grouped(points + adjustment.points)}</strong> ({signed(adjustment.points)}, “
          {adjustment.reason}”). It {adjustment.counts ? 'counts' : 'does not count'} for the level.
        </p>
        <p className="quiet">The ledger is append-only: a mistake is corrected by another adjustment.</p>
        <Failure error={failure} />
        <footer>
          <button type="button" className="button" onClick={() => setReviewing(false)}>
            Back
          </button>
          <button type="button" className="button primary" onClick={book} disabled={busy}>
            Book {signed(adjustment.points)}
          </button>
        </footer>
      </Dialog>
    )
  return (
    <Dialog title={`Adjust the points of ${userId}`} onClose={onClose}>
      <form className="form" onSubmit={review}>
        <label className="field">
          <span>Points</span>
          <input name="points" type="number" step="1" required defaultValue={adjustment?.points} />
          <span className="hint">Below 0 takes away.</span>
        </label>
        <label className="field">
          <span>Reason</span>
          <input name="reason" required pattern=".*\S.*" maxLength={500} defaultValue={adjustment?.reason} />
        </label>
        <label className="check">
          <input name="counts" type="checkbox" defaultChecked={adjustment?.counts ?? false} />
          counts for the level
        </label>
        <label className="field">
          <span>Id</span>
          <input name="id" required maxLength={200} defaultValue={adjustment?.id ?? id} />
          <span className="hint">The same id of the same player is never booked twice.</span>
        </label>
        <footer>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary">
            Review
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

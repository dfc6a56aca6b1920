import { type FormEvent, useState } from 'react'
import { ask } from '../api.ts'
import { grouped, sumOf } from '../exact.ts'
import { useRequest } from '../request.ts'
import { useInvalidate } from '../responses.ts'
import { Dialog, DialogFooter } from './dialog.tsx'
import { ReasonField } from './reason-field.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { Failure } from './states.tsx'

const CHANGED = ['GET /api/players/:user_id', 'GET /api/players/:user_id/redemptions'] as const

type Wanted = Readonly<{ id: string; points: number; hold: boolean; reason: string }>

/** Points that are spent without an order, or held for one: first how many, then what it leads to. Its id makes a second click harmless. */
export function RedeemDialog({
  userId,
  points,
  onClose,
}: Readonly<{ userId: string; points: number; onClose: () => void }>) {
  const invalidate = useInvalidate()
  const [id] = useState(() => `console-${crypto.randomUUID().slice(0, 8)}`)
  return (
    <ReviewDialog<Wanted>
      title={`Redeem points of ${userId}`}
      onClose={onClose}
      read={(form) => ({
        id,
        points: Number(form.get('points')),
        hold: form.get('hold') !== null,
        reason: String(form.get('reason')),
      })}
      fields={(wanted) => (
        <>
          <label className="field">
            <span>Points</span>
            <input
              name="points"
              type="number"
              step="1"
              min={1}
              max={Number.MAX_SAFE_INTEGER}
              required
              defaultValue={wanted?.points}
            />
            <span className="hint">{grouped(points)} can be spent.</span>
          </label>
          <ReasonField value={wanted?.reason} />
          <label className="check">
            <input name="hold" type="checkbox" defaultChecked={wanted?.hold ?? false} />
            hold them for an order
          </label>
        </>
      )}
      review={(wanted) => ({
        title: wanted.hold ? 'Hold these points?' : 'Redeem these points?',
        text: (
          <>
            <p>
              {userId} can spend {grouped(points)} points, and{' '}
              <strong className="number">{grouped(sumOf([points, -wanted.points]))}</strong> afterwards (“
              {wanted.reason}”).
            </p>
            <p className="quiet">
              {wanted.hold
                ? 'They are held for the time set in the program, then released.'
                : 'They are spent at once. Voiding the redemption refunds them.'}
            </p>
          </>
        ),
        label: `${wanted.hold ? 'Hold' : 'Redeem'} ${grouped(wanted.points)}`,
        make: async () => {
          await ask('POST /api/players/:user_id/redemptions', { params: { user_id: userId }, data: wanted })
          await invalidate(...CHANGED)
        },
      })}
    />
  )
}

/** Releases what is held, or gives back what was spent. */
export function VoidDialog({
  userId,
  redemption,
  onClose,
}: Readonly<{
  userId: string
  redemption: Readonly<{ id: string; state: string; points: number }>
  onClose: () => void
}>) {
  const invalidate = useInvalidate()
  const { run, failure, busy } = useRequest()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [reason, points] = [String(form.get('reason')), Number(form.get('points'))]
    const part = points === redemption.points ? {} : { points }
    void run(async () => {
      const params = { user_id: userId, redemption_id: redemption.id }
      await ask('POST /api/players/:user_id/redemptions/:redemption_id/void', { params, data: { ...part, reason } })
      await invalidate(...CHANGED)
      onClose()
    })
  }
  return (
    <Dialog title={`Void ${redemption.id}?`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p>
          {redemption.state === 'held' ? 'The points are released' : 'The points are refunded'}. Fewer than{' '}
          {grouped(redemption.points)} void only a part; each part needs its own reason. This cannot be undone.
        </p>
        <label className="field">
          <span>Points</span>
          <input
            name="points"
            type="number"
            required
            min={1}
            max={redemption.points}
            defaultValue={redemption.points}
          />
        </label>
        <ReasonField />
        <Failure error={failure} />
        <DialogFooter label="Void" onCancel={onClose} kind="danger" disabled={busy} />
      </form>
    </Dialog>
  )
}

/*
 * Generated histories of points: orders that are placed, changed and returned, adjustments and redemptions of several players, hours apart.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anOrder } from './builders.ts'
import type { TestApp } from './test-app.ts'

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]

/** `players` and `ids` bound the indices of players, and of a player's orders; an order may arrive one of `lateDays` late. */
export function pointSteps({
  players,
  ids,
  hoursMax,
  lateDays = [],
}: Readonly<{ players: number; ids: number; hoursMax: number; lateDays?: readonly number[] }>) {
  return fc.record({
    player: fc.nat(players - 1),
    hours: fc.integer({ min: 1, max: hoursMax }),
    act: fc.constantFrom('order', 'order', 'order', 'adjust', 'redeem'),
    id: fc.nat(ids - 1),
    points: fc.integer({ min: 1, max: 60 }),
    sign: fc.constantFrom(1, 1, -1),
    status: fc.constantFrom('placed', 'placed', 'placed', 'returned'),
    redeemed: fc.constantFrom(0, 0, 20),
    lateDays: fc.constantFrom(undefined, undefined, ...lateDays),
  })
}

export type PointStep = ReturnType<typeof pointSteps> extends fc.Arbitrary<infer Step> ? Step : never

/** Moves the clock on, and does what the step says. A redemption of too many points is refused. */
export async function takePointStep(
  app: TestApp,
  clock: { now: string },
  { player, hours, act, id, points, sign, status, redeemed, lateDays }: PointStep,
  players: readonly string[],
): Promise<void> {
  const now = Date.parse(clock.now) + hours * HOUR_MS
  clock.now = new Date(now).toISOString()
  const user_id = players[player]!
  const own = `/api/players/${user_id}`
  const reason = 'r'
  if (act === 'adjust') {
    const data = { id: clock.now, points: sign * points, counts: false, reason }
    assert.equal((await app.ask('POST', `${own}/adjustments`, { body: { data } })).status, 200)
  } else if (act === 'redeem') {
    const data = { id: clock.now, points, reason }
    const { status } = await app.ask('POST', `${own}/redemptions`, { body: { data } })
    assert.ok(status === 200 || status === 409)
  } else {
    const ordered_at = lateDays === undefined ? undefined : new Date(now - lateDays * DAY_MS).toISOString()
    const sent = { user_id, order_id: `${user_id}-${id}`, status, total_amount: points * 10, products: [] }
    await app.record([anOrder({ ...sent, ordered_at, points_redeemed: redeemed })])
  }
}

/*
 * The clients of the figures campaign: each records what its own players do, one request after the other, and counts what that adds to figures.
 */
import assert from 'node:assert/strict'
import { anOrder } from '../support/builders.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { type Adds, add, addEvent, type Count, dayAgo, today } from './figures-count.ts'

/** Half a point for each unit, rounded down: so there are fractions and roundings, and orders without points. */
export const PROGRAM = `name: Figures
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }, { name: Silver, from: 60 }, { name: Gold, from: 600 }] }
earn: [{ name: base, per-amount: { points: 1, every: 2 } }]
points: { pending: { days: 3 }, expire: { after: P12M } }
money: { decimals: 2 }
redeem: { value: { points: 4, pays: 1 }, hold: PT48H }
`
export const OLDEST_DAYS = 380
const ORDERS_EACH = 20
const POINTS_MAX = 50

/** What a player has. `usable` is below 0 where points are owed; `orderedAgo` is the age of the latest order in days. */
type Purse = {
  usable: number
  pending: number
  expired: number
  held: number
  counted: number
  isThere: boolean
  orderedAgo: number
  hold: string | undefined
  /** Today's orders with points, which can be cancelled. */
  readonly orders: Readonly<{ id: string; total: number; orderedAt: string }>[]
}

const emptyPurse = (): Purse => ({
  ...{ usable: 0, pending: 0, expired: 0, held: 0, counted: 0, isThere: false },
  ...{ orderedAgo: Number.POSITIVE_INFINITY, hold: undefined, orders: [] },
})

const levelOf = ({ counted }: Purse) => (counted >= 600 ? 'Gold' : counted >= 60 ? 'Silver' : 'Member')

/** What a player adds to the figures of accounts. */
function standingOf(id: string, purse: Purse): Record<string, number> {
  if (!purse.isThere) return {}
  const { usable, pending, expired, held, orderedAgo } = purse
  const posted = usable + pending + expired + held
  return {
    'accounts players': 1,
    [`level ${levelOf(purse)}`]: 1,
    [`balance of ${id}`]: posted,
    'summary balance points': Math.max(0, posted),
    'summary debts points': Math.min(0, posted),
    'summary outstanding points': Math.max(0, usable + held),
    'summary pending points': pending,
    'summary held points': held,
    'summary expired points': expired,
    'summary active-30 n': orderedAgo < 30 ? 1 : 0,
    'summary active-90 n': orderedAgo < 90 ? 1 : 0,
  }
}

/** Changes a purse, and counts by how much its standing changed. */
function change(adds: Adds, id: string, purse: Purse, by: Partial<Purse>): void {
  const before = standingOf(id, purse)
  Object.assign(purse, by, { isThere: true })
  const after = standingOf(id, purse)
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    add(adds, name, (after[name] ?? 0) - (before[name] ?? 0))
}

const pointsOf = (total: number) => Math.floor(total / 2)

/** Counts an order at its first recording. */
function placeOrder(adds: Adds, id: string, purse: Purse, total: number, ago: number): void {
  const [points, day, level] = [pointsOf(total), dayAgo(ago), levelOf(purse)]
  const state = ago >= 365 ? 'expired' : ago >= 3 ? 'usable' : 'pending'
  const orderedAgo = Math.min(ago, purse.orderedAgo)
  change(adds, id, purse, { [state]: purse[state] + points, counted: purse.counted + points, orderedAgo })
  addEvent(adds, { list: 'orders', measure: 'orders', day, points })
  addEvent(adds, { list: 'orders', measure: 'revisions', key: 'placed', day })
  if (points > 0) addEvent(adds, { list: 'points', measure: 'issued', key: 'order', day, points })
  else {
    const key = total === 0 ? 'nothing-paid' : 'rounded-away'
    addEvent(adds, { list: 'orders', measure: 'nothing', key, day })
  }
  if (total > 0) addEvent(adds, { list: 'rules', measure: 'rule', key: 'base', day, points: total / 2 })
  if (total % 2 === 1) addEvent(adds, { list: 'rules', measure: 'rounding', day, points: -0.5 })
  const after = levelOf(purse)
  if (after !== level) addEvent(adds, { list: 'levels', measure: 'level', key: `${level} ${after}`, day })
}

function cancelOrder(adds: Adds, id: string, purse: Purse, points: number): void {
  const day = today()
  change(adds, id, purse, { pending: purse.pending - points, counted: purse.counted - points })
  addEvent(adds, { list: 'points', measure: 'taken-back', key: 'order', day, points: -points })
  addEvent(adds, { list: 'orders', measure: 'revisions', key: 'cancelled', day })
  addEvent(adds, { list: 'rules', measure: 'later', day, points: -points })
}

function adjust(adds: Adds, id: string, purse: Purse, points: number): void {
  change(adds, id, purse, { usable: purse.usable + points })
  const measure = points > 0 ? 'issued' : 'spent'
  addEvent(adds, { list: 'points', measure, key: 'adjustment', day: today(), points })
  for (const figure of points > 0 ? ['adjusted', 'adjusted-net'] : ['adjusted-net']) {
    add(adds, `summary ${figure} n`, 1)
    add(adds, `summary ${figure} points`, points)
  }
}

function redeem(adds: Adds, points: number): void {
  addEvent(adds, { list: 'points', measure: 'spent', key: 'redemption', day: today(), points: -points })
}

type Client = Readonly<{
  service: ServiceProcess
  count: Count
  name: number
  ids: readonly string[]
  isOver: () => boolean
}>

/** Records what these players do until it is over. Errors: AssertionError if a request is refused. */
export async function runClient({ service, count, name, ids, isOver }: Client): Promise<void> {
  const purses = new Map(ids.map((id) => [id, emptyPurse()]))
  const send = async (path: string, data: object, fill: (adds: Adds) => void) => {
    const adds: Adds = new Map()
    fill(adds)
    const sentAt = Date.now()
    const { status, text } = await service.ask(path, { method: 'POST', body: { data } })
    assert.equal(status, 200, text)
    count.record(adds, sentAt, Date.now())
  }
  for (let turn = 0; !isOver(); turn += 1) {
    const id = drawn(ids)
    const purse = purses.get(id)!
    const points = 1 + Math.floor(Math.random() * POINTS_MAX)
    const key = `${name}-${turn}`
    const redemptions = `/api/players/${id}/redemptions`
    const sendAdjustment = (by: number) =>
      send(`/api/players/${id}/adjustments`, { id: key, points: by, counts: false, reason: 'r' }, (adds) =>
        adjust(adds, id, purse, by),
      )
    if (turn % 3 === 0) {
      const some = ids.slice(0, ORDERS_EACH).map((_, place) => ids[(turn + place) % ids.length]!)
      const total = Math.floor(Math.random() * POINTS_MAX)
      const ago = drawn([0, 20, 60, OLDEST_DAYS])
      const orderedAt = new Date(Date.now() - ago * 86_400_000).toISOString()
      const orders = some.map((one, place) => order(`o-${key}-${place}`, one, total, { ordered_at: orderedAt }))
      await send('/api/integration/orders', orders, (adds) => {
        for (const one of some) placeOrder(adds, one, purses.get(one)!, total, ago)
      })
      if (ago > 0 || pointsOf(total) === 0) continue
      for (const [place, one] of some.entries())
        purses.get(one)!.orders.push({ id: `o-${key}-${place}`, total, orderedAt })
    } else if (turn % 7 === 0) await predictAndRecord(send, `p-${key}`, id, purse, points)
    else if (turn % 5 === 0 && purse.orders.length > 0) {
      const { id: orderId, total, orderedAt } = purse.orders.pop()!
      const state = order(orderId, id, total, { ordered_at: orderedAt, status: 'cancelled' })
      await send('/api/integration/orders', [state], (adds) => cancelOrder(adds, id, purse, pointsOf(total)))
    } else if (purse.hold !== undefined) {
      const [hold, held] = [purse.hold, purse.held]
      const isPaid = turn % 2 === 0
      await send(`${redemptions}/${hold}/${isPaid ? 'confirm' : 'void'}`, isPaid ? {} : { reason: 'r' }, (adds) => {
        change(adds, id, purse, { held: 0, hold: undefined, usable: purse.usable + (isPaid ? 0 : held) })
        if (isPaid) redeem(adds, held)
      })
    } else if (turn % 11 === 0) await sendAdjustment(-20 * points)
    else if (purse.usable < points) await sendAdjustment(points)
    else {
      const isHold = turn % 3 === 1
      await send(redemptions, { id: key, points, hold: isHold, reason: 'r' }, (adds) => {
        change(adds, id, purse, { usable: purse.usable - points, ...(isHold ? { held: points, hold: key } : {}) })
        if (!isHold) redeem(adds, points)
      })
    }
  }
}

type Send = (path: string, data: object, fill: (adds: Adds) => void) => Promise<void>

/** Predicts an order, in one of two cases with another amount, and records it. */
async function predictAndRecord(send: Send, orderId: string, id: string, purse: Purse, points: number): Promise<void> {
  const isTrue = points % 2 === 0
  const total = 2 * points
  await send('/api/predictions/orders', order(orderId, id, isTrue ? total : total + 2), (adds) =>
    add(adds, 'summary asked n', 1),
  )
  await send('/api/integration/orders', [order(orderId, id, total)], (adds) => {
    placeOrder(adds, id, purse, total, 0)
    add(adds, `summary ${isTrue ? 'came-true' : 'differed'} n`, 1)
    if (!isTrue) add(adds, 'summary differed points', 1)
  })
}

function order(orderId: string, userId: string, total: number, more: object = {}) {
  return anOrder({ order_id: orderId, user_id: userId, total_amount: total, products: [], ...more })
}

function drawn<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)]!
}

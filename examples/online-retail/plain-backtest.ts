/*
 * The backtest of one program over the shop's orders with plain whole numbers, as a second opinion: no engine, no ledger.
 */
import type { OrderState } from './states.ts'

export interface Backtested {
  readonly points: number
  readonly months: ReadonlyMap<string, number>
  /** How many customers stand on each level. */
  readonly levels: readonly number[]
}

interface Kept {
  readonly customer: string
  readonly id: string
  readonly at: string
  /** What the customer had when the order was placed, under the starter program. */
  readonly had: number
  pounds: number
}

/**
 * Totals under the starter program (a point for every 10 pounds, rounded down), and under another one: a point for every 7 pounds, half as
 * much again from 300 points on (Silver; Gold from 1,500), rounded half up. Orders that were changed later count in their last state, and an
 * order's level is what the customer had when it was placed, and what their earlier orders would have earned in addition.
 */
export function plainBacktest(states: readonly OrderState[]): { held: Backtested; other: Backtested } {
  const orders = new Map<string, Kept>()
  const balances = new Map<string, number>()
  for (const { order } of states) {
    const { user_id: customer, order_id: id, total_amount: total, ordered_at: at } = order
    const balance = balances.get(customer) ?? 0
    const kept = orders.get(id) ?? { customer, id, at, had: balance, pounds: 0 }
    const pounds = order.status === 'cancelled' ? 0 : Number(total)
    balances.set(customer, balance + Math.floor(pounds / 10) - Math.floor(kept.pounds / 10))
    kept.pounds = pounds
    orders.set(id, kept)
  }
  const [held, other] = [new Map<string, number>(), new Map<string, number>()]
  const more = new Map<string, number>()
  const inTime = [...orders.values()].sort((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1))
  for (const { customer, at, had, pounds } of inTime) {
    const before = Math.floor(pounds / 10)
    const gained = more.get(customer) ?? 0
    // Half up of pounds / 7, or of pounds * 3 / 14.
    const after = had + gained < 300 ? Math.floor((2 * pounds + 7) / 14) : Math.floor((6 * pounds + 14) / 28)
    more.set(customer, gained + after - before)
    const month = at.slice(0, 7)
    held.set(month, (held.get(month) ?? 0) + before)
    other.set(month, (other.get(month) ?? 0) + after)
  }
  const sum = (months: ReadonlyMap<string, number>) => [...months.values()].reduce((total, points) => total + points, 0)
  const finals = [...balances].map(([customer, points]) => [points, points + more.get(customer)!] as const)
  const levels = (side: 0 | 1, froms: readonly number[]) =>
    froms.map(
      (from, place) =>
        finals.filter((points) => points[side] >= from && points[side] < (froms[place + 1] ?? Infinity)).length,
    )
  return {
    held: { points: sum(held), months: held, levels: levels(0, [0, 500, 2_000, 10_000]) },
    other: { points: sum(other), months: other, levels: levels(1, [0, 300, 1_500]) },
  }
}

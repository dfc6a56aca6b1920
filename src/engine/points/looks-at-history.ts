import { mentionsIn } from './condition.ts'
import type { Program } from './program-model.ts'

const cache = new WeakMap<Program, boolean>()

/**
 * Whether what an order earns depends on which orders of its player were recorded before it (decision 123): the level counts a window, the first order
 * brings a referral, or a condition reads the balance, the level or the number of orders.
 */
export function looksAtHistory(program: Program): boolean {
  const cached = cache.get(program)
  if (cached !== undefined) return cached
  const { levels, referral, earn, redeem } = program
  const conditions = [...earn.map(({ when }) => when), redeem?.when].filter((when) => when !== undefined)
  const looks =
    levels.counts !== 'lifetime' ||
    referral !== undefined ||
    conditions.some((condition) => {
      const { balance, level, count } = mentionsIn(condition).variesWith
      return balance || level || count
    })
  cache.set(program, looks)
  return looks
}

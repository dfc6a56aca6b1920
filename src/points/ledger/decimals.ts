import type { WrittenDecimals } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import { programAt } from '../programs.ts'
import type { Moment } from '../units.ts'

/** Which amount of an order has too many digits after the point. */
export type DecimalsRefusal = 'total-decimals' | 'discount-decimals'

/**
 * Why an order as written is not taken; undefined where it is. It may have as many digits after the point as its own version of the program
 * allows, or the one that holds at `now`, whichever allows more: so that old orders can always be cancelled (decision 69).
 */
export function refusalOfDecimals(
  written: WrittenDecimals | undefined,
  own: PublishedProgram,
  programs: readonly PublishedProgram[],
  now: Moment,
): DecimalsRefusal | undefined {
  if (written === undefined) return undefined
  const present = programAt(programs, now) ?? own
  const most = Math.max(own.program.money.decimals, present.program.money.decimals)
  if (written.total > most) return 'total-decimals'
  return written.discount > most ? 'discount-decimals' : undefined
}

import type { WrittenDecimals } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import { programAt } from '../programs.ts'
import type { Moment } from '../units.ts'

/** Which amount of an order has too many decimals. */
export type DecimalsRefusal = 'total-decimals' | 'discount-decimals'

/**
 * Why the written amounts of an order are refused; undefined if they are accepted. They may have as many decimals as the order's own version of the
 * program or the one in effect at `now` allows, whichever allows more, so that old orders can always be cancelled (decision 69).
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

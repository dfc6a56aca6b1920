import { amountText } from '../arithmetic.ts'
import type { Order, SentOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import { programAt } from '../programs.ts'
import type { Amount, Instant } from '../units.ts'

/** Which amount of an order has too many decimals. */
export type DecimalsRefusal = 'total-decimals' | 'discount-decimals'

/** A price with one digit after the point is written with two: a recorded 24.5 was sent as 24.50. */
const CENTS = 2

/**
 * Why the written amounts of an order are refused; undefined if they are accepted. They may have as many decimals as the order's own version of the
 * program or the one in effect at `now` allows, or as are recorded of this order, whichever is most, and a recorded amount may be sent again however
 * it is written: an order can always be sent again and cancelled (decision 69).
 */
export function refusalOfDecimals(
  { total, discount, decimals: sentDecimals }: Pick<SentOrder, 'total' | 'discount' | 'decimals'>,
  recorded: Order | undefined,
  published: PublishedProgram,
  programs: readonly PublishedProgram[],
  now: Instant,
): DecimalsRefusal | undefined {
  if (sentDecimals === undefined) return undefined
  const present = programAt(programs, now) ?? published
  const most = Math.max(
    published.program.money.decimals,
    present.program.money.decimals,
    decimalsOf(recorded?.total),
    decimalsOf(recorded?.discount),
  )
  if (sentDecimals.total > most && total !== recorded?.total) return 'total-decimals'
  return sentDecimals.discount > most && discount !== recorded?.discount ? 'discount-decimals' : undefined
}

function decimalsOf(amount: Amount = 0n): number {
  const needed = amountText(amount).split('.')[1]?.length ?? 0
  return needed === 0 ? 0 : Math.max(CENTS, needed)
}

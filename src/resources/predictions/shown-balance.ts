import type { Static } from 'typebox'
import type { PredictedBalance, Spendable } from '../../engine/points/ledger/predicted-balance.ts'
import { NEVER } from '../../engine/points/pending-and-expiry.ts'
import { jsonSum } from '../../json-sums.ts'
import { finiteDay } from '../../routing/day-range.ts'
import type { PREDICTION_RESPONSES } from './responses.ts'

type ShownBalance = NonNullable<
  NonNullable<Static<(typeof PREDICTION_RESPONSES)['POST /api/predictions/orders']>['explanation']>['balance']
>

/** What an order does to a balance, as it is answered. */
export function shownBalance({ before, earns, redeems, redeemable, after }: PredictedBalance): ShownBalance {
  const ending = after.lots.find(({ usableOn, expiresOn }) => usableOn === undefined && expiresOn !== NEVER)
  return {
    before: shownSpendable(before),
    earns: {
      points: Number(earns.points),
      usable_on: finiteDay(earns.usableOn),
      expires_on: finiteDay(earns.expiresOn),
    },
    redeems: {
      points: Number(redeems.points),
      pays: redeems.pays,
      from: redeems.from.map(({ points, expiresOn }) => ({
        points: Number(points),
        expires_on: finiteDay(expiresOn),
      })),
    },
    redeemable: redeemable === undefined ? null : { most: jsonSum(redeemable.most), pays: redeemable.pays },
    after: shownSpendable(after),
    next_expiry: ending === undefined ? null : { points: jsonSum(ending.points), on: ending.expiresOn },
  }
}

function shownSpendable({ available, pending, held }: Spendable) {
  return { available: jsonSum(available), pending: jsonSum(pending), held: jsonSum(held) }
}

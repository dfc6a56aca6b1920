import type { Static } from 'typebox'
import { amountText } from '../../engine/points/arithmetic.ts'
import { explanationOf } from '../../engine/points/explanation.ts'
import type { PredictedBalance, Spendable } from '../../engine/points/ledger/predicted-balance.ts'
import type { Prediction } from '../../engine/points/model.ts'
import { NEVER } from '../../engine/points/pending-and-expiry.ts'
import type { WithoutLine } from '../../engine/points/without-lines.ts'
import { jsonSum } from '../../json-sums.ts'
import { finiteDay } from '../../routing/day-range.ts'
import type { PREDICTION_RESPONSES } from './responses.ts'

type ShownExplanation = NonNullable<
  Static<(typeof PREDICTION_RESPONSES)['POST /api/predictions/orders']>['explanation']
>
type ShownBalance = NonNullable<ShownExplanation['balance']>

/** The explanation of a prediction as it is answered, with what each line brings and what the order does to the balance, where these are known. */
export function shownExplanation(
  prediction: Prediction,
  without: readonly WithoutLine[] | undefined,
  balance: PredictedBalance | undefined,
): ShownExplanation {
  return {
    ...explanationOf(prediction),
    ...(without === undefined ? {} : { without_lines: without.map(shownWithoutLine) }),
    ...(balance === undefined ? {} : { balance: shownBalance(balance) }),
  }
}

function shownWithoutLine({ line, total, discount, points }: WithoutLine) {
  return { line, total_amount: amountText(total), discount: amountText(discount), points: Number(points) }
}

function shownBalance({ before, earns, redeems, redeemable, after }: PredictedBalance): ShownBalance {
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

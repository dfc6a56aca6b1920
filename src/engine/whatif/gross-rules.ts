import { amountText } from '../points/arithmetic.ts'
import type { SentOrder } from '../points/model.ts'
import type { Program } from '../points/program-model.ts'
import type { TestCase } from './cases.ts'

/**
 * A warning for each rule that counts the lines it selects before discount and refunds, if an order of the cases carries any, or if there are no cases to tell:
 * it then earns points for money that was not paid.
 */
export function warnOfGross({ earn }: Program, cases: readonly TestCase[]): string[] {
  const orders = cases.flatMap(({ steps }) => steps.flatMap((step) => ('order' in step ? [step.order] : [])))
  const shown = orders.map(reductionOf).find((one) => one !== undefined)
  const why = cases.length === 0 ? 'that matters if orders carry any' : shown
  if (why === undefined) return []
  return earn
    .filter(
      (rule) =>
        rule.kind === 'per-amount' && rule.when?.mentionsLine && (rule.of === 'lines' || rule.of === 'catalogue'),
    )
    .map(
      ({ name }) =>
        `${name} counts the selected lines before discount and refunds, and ${why}: of: net counts what was paid for them`,
    )
}

function reductionOf({ id, discount, lines }: SentOrder): string | undefined {
  if (discount > 0n) return `order ${id} has a discount of ${amountText(discount)}`
  return lines.some(({ refunded }) => refunded !== undefined) ? `order ${id} has a refund` : undefined
}

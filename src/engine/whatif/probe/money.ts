/*
 * What counts as a small order and a small step of money under a program, so that nothing depends on a currency.
 */
import { AMOUNT_SCALE, compareValues } from '../../points/arithmetic.ts'
import type { Program } from '../../points/program-model.ts'
import type { Amount } from '../../points/units.ts'

const CENT = AMOUNT_SCALE / 100n
const FALLBACK_UNIT = 10n * AMOUNT_SCALE
const GAIN_MIN = 10n

/** Small enough that many such amounts together remain within the bounds of an order. */
export const MONEY_MAX = 10n ** 11n * AMOUNT_SCALE

/** The scale of money under a program. */
export type Money = Readonly<{
  /** The amount that earns about one point under the usual rule; an order below it is small. */
  unit: Amount
  /** The points that ten units earn under the usual rule: a smaller gain is not worth anyone's while. */
  gainMin: bigint
  /** The smallest step of money: 1, or 0.01 where the program counts in less. */
  step: Amount
  /** The amount rounded down to a multiple of `step`, at least one step and at most MONEY_MAX. */
  inSteps: (amount: Amount) => Amount
  /** Each amount, and the amounts one step below and above it. */
  around: (amounts: readonly Amount[]) => Amount[]
}>

/** `thresholds` are the amounts that the program's conditions name. */
export function moneyOf(program: Program, thresholds: readonly Amount[]): Money {
  const { unit, gainMin } = unitOf(program, thresholds)
  const steps = program.earn.flatMap((rule) => (rule.kind === 'per-amount' ? [rule.every] : []))
  const isWhole = unit >= FALLBACK_UNIT && [...thresholds, ...steps].every((amount) => amount % AMOUNT_SCALE === 0n)
  const step = isWhole ? AMOUNT_SCALE : CENT
  const inSteps = (amount: Amount) => (amount < step ? step : amount > MONEY_MAX ? MONEY_MAX : amount - (amount % step))
  const around = (amounts: readonly Amount[]) =>
    amounts.flatMap((amount) => [amount - step, amount, amount + step].map(inSteps))
  return { unit, gainMin, step, inSteps, around }
}

/** From the first unconditional per-amount rule, else the first per-amount rule, else the smallest threshold. */
function unitOf({ earn }: Program, thresholds: readonly Amount[]): Pick<Money, 'unit' | 'gainMin'> {
  const byAmount = earn.filter((rule) => rule.kind === 'per-amount')
  const usual = byAmount.find(({ when }) => when === undefined) ?? byAmount[0]
  if (usual === undefined) {
    const [least = FALLBACK_UNIT] = ascending(thresholds.filter((amount) => amount > 0n))
    return { unit: atMost(least, MONEY_MAX), gainMin: GAIN_MIN }
  }
  const forOnePoint = (usual.every * AMOUNT_SCALE) / usual.points
  const unit = usual.wholeSteps && usual.every > forOnePoint ? usual.every : atLeast(forOnePoint, CENT)
  const bounded = atMost(unit, MONEY_MAX)
  const gain = (10n * bounded * usual.points) / (usual.every * AMOUNT_SCALE)
  return { unit: bounded, gainMin: atLeast(gain, GAIN_MIN) }
}

const atLeast = (value: bigint, min: bigint) => (value < min ? min : value)
const atMost = (value: bigint, max: bigint) => (value > max ? max : value)

/** The distinct amounts, in ascending order. */
export function ascending(amounts: readonly Amount[]): Amount[] {
  return [...new Set(amounts)].sort(compareValues)
}

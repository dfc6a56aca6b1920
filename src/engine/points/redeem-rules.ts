/*
 * What points are worth and how they may be spent: the section `redeem` of a program, and checking an order against it (decision 139).
 */
import {
  AMOUNT_DIGITS,
  AMOUNT_SCALE,
  amountText,
  greatestCommonDivisor,
  parseAmount,
  ratio,
  ratioText,
  WHOLE_MAX,
} from './arithmetic.ts'
import { computeNet } from './bases.ts'
import { type Period, readPeriod } from './calendar.ts'
import { type KnownNames, readCondition } from './condition.ts'
import { buildConditionContext } from './condition-context.ts'
import { inProgramCurrency } from './currency.ts'
import type { ReportIssue } from './issue.ts'
import { levelAt } from './levels.ts'
import { withRefunds } from './line-money.ts'
import type { Catalogue, Order, OrderStatus, PaidOrder, Player } from './model.ts'
import type { Program, RedeemRules } from './program-model.ts'
import type { Amount, Points } from './units.ts'

/** The section `redeem` as a program writes it; its shape has been checked. */
export type WrittenRedeemRules = Readonly<{
  value?: Readonly<{ points: number; pays: string | number }>
  step?: number
  least?: number
  'at-most'?: Readonly<{ share?: string; points?: number }>
  when?: string
  'part-paid-earns'?: boolean
  'in-discount'?: boolean
  overdraft?: number
  'given-back'?: string
  hold?: string
  rewards?: readonly Readonly<{ name: string; points: number }>[]
}>

export const HOLD_PATTERN = '^(PT[1-9][0-9]{0,3}[MH]|P[1-9][0-9]?D)$'
const MINUTES = { M: 1, H: 60, D: 1_440 } as const
const HOLD_MINUTES = 15

/** Reads the section. `issue` reports at a field what the schema cannot check; the result must then not be used. */
export function readRedeemRules(
  section: WrittenRedeemRules,
  { decimals, ...known }: KnownNames & Readonly<{ decimals: number }>,
  issue: ReportIssue,
): RedeemRules {
  const { value, least = 0, hold, overdraft = 0, rewards = [] } = section
  const atMost = section['at-most']
  const step = BigInt(section.step ?? 1)
  if (value === undefined && rewards.length === 0) issue('', 'expected value, rewards or both')
  if (atMost !== undefined && (atMost.share === undefined) === (atMost.points === undefined))
    issue('.at-most', 'expected exactly one of share and points')
  const share = atMost?.share === undefined ? undefined : parseAmount(atMost.share)
  if (atMost?.share !== undefined && (share === undefined || share === 0n || share > AMOUNT_SCALE))
    issue('.at-most.share', 'expected a share greater than 0 and at most 1, in quotes, like "0.5"')
  if (share !== undefined && value === undefined) issue('.at-most.share', 'requires value')
  return {
    ...(value === undefined ? {} : { value: readValue(value, step, decimals, issue) }),
    step,
    least: BigInt(least),
    ...(share === undefined ? {} : { share }),
    ...(atMost?.points === undefined ? {} : { mostPoints: BigInt(atMost.points) }),
    ...readWhen(section.when, known, issue),
    partPaidEarns: section['part-paid-earns'] ?? false,
    inDiscount: section['in-discount'] ?? false,
    overdraft: BigInt(overdraft),
    ...readGivenBack(section['given-back']),
    holdMs: hold === undefined ? HOLD_MINUTES * 60_000 : holdMs(hold),
    rewards: rewards.map(({ name, points }) => ({ name, points: BigInt(points) })),
  }
}

/** Every step must pay an exact amount, with no more decimals than an amount of an order may have. */
function readValue(
  { points, pays }: NonNullable<WrittenRedeemRules['value']>,
  step: Points,
  decimals: number,
  issue: ReportIssue,
): NonNullable<RedeemRules['value']> {
  const amount = parseAmount(String(pays)) ?? 0n
  if (amount === 0n) issue('.value.pays', 'expected an amount greater than 0 with at most 4 decimal places')
  const unit = 10n ** BigInt(AMOUNT_DIGITS - decimals)
  const whole = BigInt(points) * unit
  if ((amount * step) % whole !== 0n) {
    const least = whole / greatestCommonDivisor(amount, whole)
    const one = ratioText(ratio(amount, BigInt(points) * AMOUNT_SCALE))
    issue(
      '.step',
      `expected a multiple of ${least}: 1 point pays ${one}, and amounts have at most ${decimals} decimal places (money.decimals); default: 1`,
    )
  }
  return { points: BigInt(points), pays: amount }
}

function readWhen(source: string | undefined, known: KnownNames, issue: ReportIssue): Pick<RedeemRules, 'when'> {
  if (source === undefined) return {}
  const read = readCondition(source, known)
  if ('issues' in read) for (const { error, ...more } of read.issues) issue('.when', error, more)
  const isOfLines = 'issues' in read ? read.mentionsLine : read.condition.mentionsLine || read.condition.testChosen
  if (isOfLines) issue('.when', 'expected a condition without line: use order.lines.exists')
  return 'issues' in read ? {} : { when: read.condition }
}

function readGivenBack(text: string | undefined): { givenBack?: Period } {
  return text === undefined ? {} : { givenBack: readPeriod(text) }
}

function holdMs(text: string): number {
  const count = Number(/\d+/.exec(text)![0])
  return count * MINUTES[text.at(-1) as keyof typeof MINUTES] * 60_000
}

/** The points that an order redeems: none if it is cancelled or returned. */
export function redeemedBy({
  status,
  pointsRedeemed = 0n,
}: Readonly<{ status: OrderStatus; pointsRedeemed?: Points | undefined }>): Points {
  return status === 'placed' ? pointsRedeemed : 0n
}

/** The amount that points pay: exact for whole steps, else rounded down to 1/10,000. */
export function paidBy(points: Points, { value }: Pick<RedeemRules, 'value'>): Amount {
  return value === undefined ? 0n : (points * value.pays) / value.points
}

/** The part of an order's net that was paid with points, and therefore earns nothing. */
export function deductedFor(order: Order, redeem: RedeemRules | undefined): Amount {
  if (redeem === undefined || redeem.inDiscount || redeem.partPaidEarns) return 0n
  return paidBy(redeemedBy(order), redeem)
}

/** What limits how many points an order may redeem, regardless of the player's balance. */
export type RedeemLimit = Readonly<
  | { kind: 'no-redeem' }
  | { kind: 'step'; step: Points }
  | { kind: 'least'; least: Points }
  | { kind: 'at-most'; most: Points }
  | { kind: 'worth'; most: Points }
  | { kind: 'when'; source: string }
>

/** The limit that a number of points breaks by itself, regardless of the order; undefined if it breaks none. */
export function brokenLimit(points: Points, { step, least }: RedeemRules): RedeemLimit | undefined {
  if (points % step !== 0n) return { kind: 'step', step }
  return points < least ? { kind: 'least', least } : undefined
}

/** The most points that an order may redeem, in whole steps, regardless of the player's balance; or why it may redeem none. */
export function redeemLimitFor(order: Order, player: Player, catalogue: Catalogue, program: Program): RedeemLimit {
  const { levels, money, redeem } = program
  if (redeem === undefined) return { kind: 'no-redeem' }
  const { when, step, share, mostPoints } = redeem
  const kept = withRefunds(inProgramCurrency(order, money), catalogue)
  if (when !== undefined) {
    const level = levelAt(levels.ladder, player.levelPoints)
    if (!holds(() => when.test(buildConditionContext(kept, player, catalogue, level, program))))
      return { kind: 'when', source: when.source }
  }
  const net = worthOf(kept, redeem)
  const worth = pointsFor(net, redeem)
  const shared = share === undefined ? worth : pointsFor((net * share) / AMOUNT_SCALE, redeem)
  const capped = [worth, shared, mostPoints ?? worth].reduce((a, b) => (a < b ? a : b))
  const kind = capped < worth ? 'at-most' : 'worth'
  return { kind, most: capped - (capped % step) }
}

/** How many of the points that an order redeems pay more than it is worth, as after a part of it was returned (decision 139). */
export function overpaidBy(order: Order, catalogue: Catalogue, { money, redeem }: Program): Points {
  const redeemed = redeemedBy(order)
  if (redeem?.value === undefined || redeemed === 0n) return 0n
  const worth = pointsFor(worthOf(withRefunds(inProgramCurrency(order, money), catalogue), redeem), redeem)
  return redeemed > worth ? redeemed - worth : 0n
}

/** What points may pay of an order. The discount may include what they pay; the rest of it reduces it. */
function worthOf(order: PaidOrder, redeem: RedeemRules): Amount {
  const included = redeem.inDiscount ? paidBy(redeemedBy(order), redeem) : 0n
  const discount = order.discount > included ? order.discount - included : 0n
  const { total, refunded } = order
  return computeNet({ total, discount, ...(refunded === undefined ? {} : { refunded }) })
}

/** Without a value points pay nothing, so the amount of an order does not limit them. */
function pointsFor(amount: Amount, { value }: RedeemRules): Points {
  return value === undefined ? WHOLE_MAX : (amount * value.points) / value.pays
}

/** A condition that fails to evaluate does not hold. */
function holds(test: () => boolean): boolean {
  try {
    return test()
  } catch {
    return false
  }
}

/** An amount that points pay, as text for people, with at least the program's number of decimals. */
export function paysText(amount: Amount, decimals: number): string {
  const [whole, after = ''] = amountText(amount).split('.')
  const digits = after.padEnd(decimals, '0')
  return digits === '' ? whole! : `${whole}.${digits}`
}

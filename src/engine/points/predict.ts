/*
 * What an order earns, and why: a single pure function, shared by predictions, recording, backtests and verification.
 */
import { add, amountRatio, amountText, isLess, isZero, pricedText, type Ratio, ratioText, ZERO } from './arithmetic.ts'
import { notesOnTypes } from './attributes.ts'
import { catalogueAmount, computeNet, sentAmount } from './bases.ts'
import type { Condition } from './condition.ts'
import { buildConditionContext, ChosenInputs, type ConditionContext } from './condition-context.ts'
import { inProgramCurrency, takesCurrency } from './currency.ts'
import { levelAt, levelChange } from './levels.ts'
import { shareOfNet, withRefunds } from './line-money.ts'
import type {
  Catalogue,
  Earned,
  Line,
  NotApplied,
  Note,
  Order,
  OrderContext,
  PaidOrder,
  Player,
  Prediction,
} from './model.ts'
import { computePointTerms } from './pending-and-expiry.ts'
import type { Program, PublishedProgram } from './program-model.ts'
import { deductedFor, redeemedBy } from './redeem-rules.ts'
import { evaluateReferral, NOT_PARTICIPATING } from './referral.ts'
import { roundTo } from './rounding.ts'
import { whyOutsideSchedule } from './rule-schedule.ts'
import { earn, type Rule } from './rules/index.ts'
import type { Sku } from './units.ts'
import { computeZeroPointsReason } from './zero-points-reason.ts'

const NOTES_MAX = 20
const LEFT_OUT_NOTE: Note = { kind: 'not-participating', text: `${NOT_PARTICIPATING}: the order earns no points` }

/**
 * What an order earns under a program, step by step. Cancelled and returned orders earn nothing, nor do those of a player who does not participate.
 *
 * Units     whole points; the steps are exact ratios
 * Rounding  once, on the sum of the rules, as the program says; the referral is added after it. `earned` plus `rounding` is `points`
 * Bounds    never below 0; may exceed what JSON carries exactly, which the caller checks (decision 20)
 * Errors    none
 * Source    docs/programs.md
 */
export function predict(
  order: Order,
  player: Player,
  catalogue: Catalogue,
  published: PublishedProgram,
  context: OrderContext,
): Prediction {
  const { program } = published
  const paid = deductedFor(order, program.redeem)
  const kept = withRefunds(inProgramCurrency(order, program.money), catalogue)
  const counted: PaidOrder = paid === 0n ? kept : { ...kept, paid }
  const isLeftOut = order.status === 'placed' && player.participates === false
  const whyNone = isLeftOut ? NOT_PARTICIPATING : whyNothing(order, program)
  const applied = whyNone === undefined ? applyRules(counted, player, catalogue, program) : applyNone(whyNone, program)
  const { earned, notApplied, soFar } = applied
  const rounded = roundTo(soFar, program.rounding)
  // Rules may take away more than the others gave, but an order never costs points.
  const byRules = rounded < 0n ? 0n : rounded
  const referred = isLeftOut ? ({ why: 'not-participating' } as const) : context.referral
  const referral = evaluateReferral(order, program.referral, referred)
  const points = byRules + referral.points
  const redeemed = redeemedBy(order)
  const terms = computePointTerms(program, order)
  return {
    points,
    earned: [...earned, ...referral.earned],
    notApplied: [...notApplied, ...referral.notApplied],
    rounding: { num: byRules * soFar.den - soFar.num, den: soFar.den },
    level: levelChange(program.levels.ladder, context.levelPoints, points, context.recorded),
    notes: firstNotes([
      ...(isLeftOut ? [LEFT_OUT_NOTE] : []),
      ...notesOnPaid(counted),
      ...referral.notes,
      ...(program.attributes === undefined ? [] : notesOnTypes(order, player, program.attributes)),
      ...kept.lines.flatMap((line, index) => notesOn(line, index, catalogue)),
    ]),
    ...(referral.referrer === undefined ? {} : { referrer: referral.referrer }),
    ...(redeemed === 0n ? {} : { redeemed }),
    ...(terms === undefined ? {} : { terms }),
    ...(context.statisticsBy === undefined ? {} : { statisticsBy: context.statisticsBy }),
    ...(points === 0n ? { nothing: computeZeroPointsReason(counted, player, catalogue, program, applied) } : {}),
    program: { version: published.version, name: program.name },
  }
}

function whyNothing({ status, currency }: Order, { money }: Program): string | undefined {
  if (status !== 'placed') return `the order is ${status}`
  return takesCurrency(currency, money) ? undefined : `the program has no rate for ${currency}`
}

type Applied = { earned: Earned[]; notApplied: NotApplied[]; soFar: Ratio; selected: number }

function applyRules(order: PaidOrder, player: Player, catalogue: Catalogue, program: Program): Applied {
  const applied: Applied = { earned: [], notApplied: [], soFar: ZERO, selected: 0 }
  const level = levelAt(program.levels.ladder, player.levelPoints)
  const hasConditions = program.earn.some(({ when }) => when !== undefined)
  const conditionContext = hasConditions ? buildConditionContext(order, player, catalogue, level, program) : undefined
  for (const rule of program.earn) {
    const outside = rule.during && whyOutsideSchedule(rule.during, order.at, program.timeZone)
    if (outside !== undefined) {
      applied.notApplied.push({ rule: rule.name, why: outside })
      continue
    }
    const selected = selectLines(rule, order, catalogue, conditionContext)
    if ('why' in selected) {
      applied.notApplied.push({ rule: rule.name, why: selected.why })
      continue
    }
    applied.selected += 1
    const result = earn(rule, { order, lines: selected.lines, catalogue, earned: applied.earned, soFar: applied.soFar })
    if (isZero(result.points)) {
      applied.notApplied.push({ rule: rule.name, why: 'it comes to 0 points for this order' })
    } else {
      applied.earned.push({ rule: rule.name, points: result.points, because: result.because })
      applied.soFar = add(applied.soFar, result.points)
    }
  }
  return applied
}

/** The lines that a rule applies to, or why it does not apply. A condition that fails to evaluate does not hold. */
function selectLines(
  { when, least }: Pick<Rule, 'when' | 'least'>,
  order: PaidOrder,
  catalogue: Catalogue,
  conditionContext: ConditionContext | undefined,
): { lines: readonly Line[] } | { why: string } {
  if (when === undefined || conditionContext === undefined) return order
  try {
    const selected = selectedBy(when, order, catalogue, conditionContext)
    if (least === undefined || 'why' in selected) return selected
    const { share } = shareOfNet(order, selected.lines, catalogue)
    if (!isLess(share, amountRatio(least))) return selected
    return { why: `the chosen lines come to ${ratioText(share)}, expected at least ${amountText(least)}` }
  } catch (error) {
    return {
      why: `condition cannot be evaluated for this order (${(error as Error).message.split('\n')[0]}): ${when.source}`,
    }
  }
}

function selectedBy(
  when: Condition,
  order: PaidOrder,
  catalogue: Catalogue,
  conditionContext: ConditionContext,
): { lines: readonly Line[] } | { why: string } {
  const { mentionsLine, source } = when
  let { lines } = order
  if (mentionsLine) {
    lines = lines.filter((_, index) => when.test({ ...conditionContext, line: conditionContext.order.lines[index]! }))
    if (lines.length === 0) return { why: `condition not met by any line: ${source}` }
  } else if (!when.test(conditionContext)) return { why: `condition not met: ${source}` }
  if (when.testChosen === undefined) return mentionsLine ? { lines } : order
  const chosen = { ...conditionContext, lines: new ChosenInputs(order, lines, catalogue) }
  return when.testChosen(chosen) ? { lines } : { why: `condition not met by the chosen lines: ${source}` }
}

function applyNone(why: string, program: Program): Applied {
  return {
    earned: [],
    soFar: ZERO,
    selected: 0,
    notApplied: program.earn.map((rule) => ({ rule: rule.name, why })),
  }
}

/** What is paid with points earns nothing: it reduces only `net`, not the total or the lines (decision 139). */
function notesOnPaid(order: PaidOrder): Note[] {
  if (order.paid === undefined) return []
  const [paid, net] = [amountText(order.paid), amountText(computeNet(order))]
  return [{ kind: 'paid-with-points', text: `${redeemedBy(order)} points pay ${paid}: net reduced to ${net}` }]
}

/** The first notes only: an order may have a thousand lines, and the ledger stores its explanation. */
function firstNotes(notes: readonly Note[]): readonly Note[] {
  if (notes.length <= NOTES_MAX) return notes
  const more = notes.length - NOTES_MAX
  return [...notes.slice(0, NOTES_MAX), { kind: 'more', text: `and ${more} more like these` }]
}

/** The products of an order that the catalogue does not know, each once, in the order of its lines. */
export function unknownProductsIn({ lines }: Pick<Order, 'lines'>, catalogue: Catalogue): readonly Sku[] {
  return [...new Set(lines.flatMap(({ sku }) => (sku !== undefined && catalogue.get(sku) === undefined ? [sku] : [])))]
}

function notesOn(line: Line, index: number, catalogue: Catalogue): Note[] {
  const amount = sentAmount(line)
  const priced = catalogueAmount(line, catalogue)
  if (amount !== undefined && amount === priced) return []
  const product = line.sku === undefined ? `line ${index}` : `product ${line.sku}`
  const about = { line: index, ...(line.sku === undefined ? {} : { sku: line.sku }) }
  const notes: Note[] = []
  if (line.sku !== undefined && priced === undefined)
    notes.push({ kind: 'unknown-product', text: `${product} is not in the catalogue`, ...about })
  if (amount === undefined && priced === undefined)
    notes.push({ kind: 'no-price', text: `${product} has no amount and no catalogue price: counted as 0`, ...about })
  if (amount !== undefined && priced !== undefined) {
    const [sent, listed] = [pricedText(amount), pricedText(priced)]
    notes.push({ kind: 'price-differs', text: `${product} has amount ${sent}, ${listed} by catalogue price`, ...about })
  }
  return notes
}

/*
 * The idea of the house: one pure function that says what an order earns, and why. Prediction, recording and every later tool call it.
 */
import { add, isZero, pricedText, type Ratio, roundTo, ZERO } from './arithmetic.ts'
import { catalogueAmount, ownAmount } from './bases.ts'
import type { Condition } from './condition.ts'
import { levelAt, levelChange } from './levels.ts'
import type { Catalogue, Earned, Line, NotApplied, Note, Order, OrderContext, Player, Prediction } from './model.ts'
import type { Program, PublishedProgram } from './program-model.ts'
import { referralOf } from './referral.ts'
import { earn } from './rules/index.ts'
import { type Situation, situationOf } from './situation.ts'

const NOTES_MAX = 20

/**
 * What an order earns under a program, with every step of the way.
 *
 * Units     whole points; steps are exact ratios
 * Rounding  once, over the sum of the rules, as the program says; then the referral; `earned` plus `rounding` is `points`
 * Bounds    points are never below 0 and may be larger than the wire allows (the caller checks: decision 34)
 * Errors    none for any order, player and catalogue of the right shape; equal inputs give equal answers
 * Source    docs/programs.md; cancelled and returned orders earn nothing
 */
export function predict(
  order: Order,
  player: Player,
  catalogue: Catalogue,
  published: PublishedProgram,
  standing: OrderContext = { levelPoints: player.levelPoints, referral: { why: 'no-code' } },
): Prediction {
  const { program } = published
  const { earned, notApplied, soFar } =
    order.status === 'placed' ? applyRules(order, player, catalogue, program) : nothing(order, program)
  const rounded = roundTo(soFar, program.rounding)
  // Rules that take away may take more than there is; an order never costs points.
  const byRules = rounded < 0n ? 0n : rounded
  const referral = referralOf(order, program.referral, standing.referral)
  const points = byRules + referral.points
  return {
    points,
    earned: [...earned, ...referral.earned],
    notApplied: [...notApplied, ...referral.notApplied],
    rounding: { num: byRules * soFar.den - soFar.num, den: soFar.den },
    level: levelChange(program.levels.ladder, standing.levelPoints, points, standing.recorded),
    notes: firstNotes([...referral.notes, ...order.lines.flatMap((line, index) => notesOn(line, index, catalogue))]),
    ...(referral.referrer === undefined ? {} : { referrer: referral.referrer }),
    program: { version: published.version, name: program.name },
  }
}

type Applied = { earned: Earned[]; notApplied: NotApplied[]; soFar: Ratio }

function applyRules(order: Order, player: Player, catalogue: Catalogue, program: Program): Applied {
  const applied: Applied = { earned: [], notApplied: [], soFar: ZERO }
  const level = levelAt(program.levels.ladder, player.levelPoints)
  const hasConditions = program.earn.some(({ when }) => when !== undefined)
  const situation = hasConditions ? situationOf(order, player, catalogue, level) : undefined
  for (const rule of program.earn) {
    const chosen = choose(rule.when, order, situation)
    if ('why' in chosen) {
      applied.notApplied.push({ rule: rule.name, why: chosen.why })
      continue
    }
    const given = earn(rule, { order, lines: chosen.lines, catalogue, earned: applied.earned, soFar: applied.soFar })
    if (isZero(given.points)) {
      applied.notApplied.push({ rule: rule.name, why: 'it comes to 0 points for this order' })
    } else {
      applied.earned.push({ rule: rule.name, points: given.points, because: given.because })
      applied.soFar = add(applied.soFar, given.points)
    }
  }
  return applied
}

/** The lines that a rule is about, or why it does not apply. A condition that goes wrong makes its rule not apply. */
function choose(
  when: Condition | undefined,
  order: Order,
  situation: Situation | undefined,
): { lines: readonly Line[] } | { why: string } {
  if (when === undefined || situation === undefined) return order
  try {
    if (!when.mentionsLine) return when.test(situation) ? order : { why: `its condition does not hold: ${when.source}` }
    const lines = order.lines.filter((_, index) => when.test({ ...situation, line: situation.order.lines[index]! }))
    return lines.length > 0 ? { lines } : { why: `no line fulfils its condition: ${when.source}` }
  } catch (error) {
    return {
      why: `its condition cannot be decided for this order (${(error as Error).message.split('\n')[0]}): ${when.source}`,
    }
  }
}

function nothing(order: Order, program: Program): Applied {
  return {
    earned: [],
    soFar: ZERO,
    notApplied: program.earn.map((rule) => ({ rule: rule.name, why: `the order is ${order.status}` })),
  }
}

/** As many notes as anybody reads: an order may have a thousand lines, and the ledger keeps what is said of it. */
function firstNotes(notes: readonly Note[]): readonly Note[] {
  if (notes.length <= NOTES_MAX) return notes
  const more = notes.length - NOTES_MAX
  return [...notes.slice(0, NOTES_MAX), { kind: 'more', text: `and ${more} more like these` }]
}

function notesOn(line: Line, index: number, catalogue: Catalogue): Note[] {
  const own = ownAmount(line)
  const priced = catalogueAmount(line, catalogue)
  if (own !== undefined && own === priced) return []
  const product = line.sku === undefined ? `line ${index}` : `product ${line.sku}`
  const about = { line: index, ...(line.sku === undefined ? {} : { sku: line.sku }) }
  const notes: Note[] = []
  if (line.sku !== undefined && priced === undefined) {
    notes.push({ kind: 'unknown-product', text: `${product} is not in the catalogue`, ...about })
  }
  if (own === undefined && priced === undefined) {
    notes.push({ kind: 'no-price', text: `${product} has no amount and no known price, so it counts 0`, ...about })
  }
  if (own !== undefined && priced !== undefined) {
    const [sent, known] = [pricedText(own), pricedText(priced)]
    notes.push({ kind: 'price-differs', text: `${product} came with ${sent}, the catalogue says ${known}`, ...about })
  }
  return notes
}

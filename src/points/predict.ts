/*
 * The idea of the house: one pure function that says what an order earns, and why. Prediction, recording and every later tool call it.
 */
import { AMOUNT_SCALE, add, isZero, type Ratio, ratio, ratioText, roundTo, subtract, ZERO } from './arithmetic.ts'
import { catalogueAmount, ownAmount } from './bases.ts'
import { levelChange } from './levels.ts'
import type { Catalogue, Earned, Line, NotApplied, Note, Order, Player, Prediction, PublishedProgram } from './model.ts'
import { earn } from './rules/index.ts'

/**
 * What an order earns under a program, with every step of the way.
 *
 * Units     whole points; steps are exact ratios
 * Rounding  once, over the order's sum, as the program says; `earned` plus `rounding` is `points`
 * Bounds    points are never below 0 and may be larger than the wire allows (the caller checks: decision 34)
 * Errors    none for any order, player and catalogue of the right shape; equal inputs give equal answers
 * Source    docs/programs.md; cancelled and returned orders earn nothing
 */
export function predict(order: Order, player: Player, catalogue: Catalogue, published: PublishedProgram): Prediction {
  const { program } = published
  const { earned, notApplied } =
    order.status === 'placed' ? applyRules(order, catalogue, published) : nothing(order, published)
  const sum = earned.reduce<Ratio>((total, one) => add(total, one.points), ZERO)
  const points = roundTo(sum, program.rounding)
  return {
    points,
    earned,
    notApplied,
    rounding: subtract(ratio(points), sum),
    level: levelChange(program.levels.ladder, player.counted, points),
    notes: order.lines.flatMap((line, index) => notesOn(line, index, catalogue)),
    program: { version: published.version, name: program.name },
  }
}

type Applied = { earned: Earned[]; notApplied: NotApplied[] }

function applyRules(order: Order, catalogue: Catalogue, { program }: PublishedProgram): Applied {
  const applied: Applied = { earned: [], notApplied: [] }
  for (const rule of program.earn) {
    const one = earn(rule, order, catalogue)
    if (isZero(one.points)) applied.notApplied.push({ rule: rule.name, why: 'it comes to 0 points for this order' })
    else applied.earned.push(one)
  }
  return applied
}

function nothing(order: Order, { program }: PublishedProgram): Applied {
  return {
    earned: [],
    notApplied: program.earn.map((rule) => ({ rule: rule.name, why: `the order is ${order.status}` })),
  }
}

function notesOn(line: Line, index: number, catalogue: Catalogue): Note[] {
  const own = ownAmount(line)
  const priced = catalogueAmount(line, catalogue)
  const product = line.sku === undefined ? `line ${index}` : `product ${line.sku}`
  const about = { line: index, ...(line.sku === undefined ? {} : { sku: line.sku }) }
  const notes: Note[] = []
  if (line.sku !== undefined && priced === undefined) {
    notes.push({ kind: 'unknown-product', text: `${product} is not in the catalogue`, ...about })
  }
  if (own === undefined && priced === undefined) {
    notes.push({ kind: 'no-price', text: `${product} has no amount and no known price, so it counts 0`, ...about })
  }
  if (own !== undefined && priced !== undefined && own !== priced) {
    const [sent, known] = [priceText(own), priceText(priced)]
    notes.push({ kind: 'price-differs', text: `${product} came with ${sent}, the catalogue says ${known}`, ...about })
  }
  return notes
}

function priceText(amount: bigint): string {
  return ratioText(ratio(amount, AMOUNT_SCALE * AMOUNT_SCALE))
}

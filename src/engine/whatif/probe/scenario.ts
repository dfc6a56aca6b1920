/*
 * A scenario: a customer with earlier orders places another one. fast-check generates and shrinks it as choices: indices into lists of
 * values, each starting with the simplest.
 */
import fc from 'fast-check'
import { AMOUNT_SCALE, sumAmounts } from '../../points/arithmetic.ts'
import { levelAt } from '../../points/levels.ts'
import type { Line, Prediction, SentOrder } from '../../points/model.ts'
import type { Amount, UserId } from '../../points/units.ts'
import { type HistoryStep, orderSteps, type ReplayStep, replayFrom, type TestPlayer, type World } from '../replay.ts'
import { type Domain, NO_PROFILE, STARTS_AT } from './domains.ts'
import type { SearchSpace } from './search-space.ts'

type LineChoices = Readonly<{ product: number; amount: number; qty: number; free: number }>

/** Indices into the lists of a domain. */
export type Choices = Readonly<{
  domain: number
  points: number
  orders: number
  profile: number
  flag: number
  code: number
  time: number
  price: number
  discount: number
  attributes: number
  lines: readonly LineChoices[]
}>

/** A world, the earlier orders, and the order in question. */
export type Scenario = Readonly<{ domain: Domain; world: World; before: readonly SentOrder[]; order: SentOrder }>

export const CUSTOMER = 'shopper'
const LINES_MAX = 3

export function choicesIn({ domains }: SearchSpace): fc.Arbitrary<Choices> {
  const indexInto = (list: (domain: Domain) => readonly unknown[]) =>
    fc.nat({ max: Math.max(...domains.map((domain) => list(domain).length)) - 1 })
  // Nothing is drawn where no rule reads attributes of orders: a seed gives such a program what it always gave.
  const hasAttributes = domains.some(({ attributes }) => attributes.length > 1)
  return fc.record({
    // First, so that shrinking drops lines before it simplifies anything else.
    lines: fc.array(
      fc.record({
        product: indexInto(({ products }) => products),
        amount: indexInto(({ amounts }) => amounts),
        qty: indexInto(({ quantities }) => quantities),
        free: fc.nat({ max: 3 }),
      }),
      { minLength: 1, maxLength: LINES_MAX },
    ),
    domain: fc.nat({ max: domains.length - 1 }),
    points: indexInto(({ points }) => points),
    orders: indexInto(({ orders }) => orders),
    profile: indexInto(({ profiles }) => profiles),
    flag: indexInto(({ flags }) => flags),
    code: indexInto(({ codes }) => codes),
    time: indexInto(({ times }) => times),
    price: indexInto(({ prices }) => prices),
    discount: fc.nat({ max: 7 }),
    attributes: hasAttributes ? indexInto(({ attributes }) => attributes) : fc.constant(0),
  })
}

/** The scenario that the choices describe. Free lines have an amount of 0. */
export function scenarioOf(choices: Choices, space: SearchSpace): Scenario {
  const domain = elementAt(space.domains, choices.domain)
  const inCatalogue = domain.products.filter(({ sku }) => sku !== domain.products[0]!.sku)
  const lines = choices.lines.map((line) => lineOf(line, domain))
  const price = elementAt(domain.prices, choices.price)
  const at = elementAt(domain.times, choices.time)
  const attributes = elementAt(domain.attributes, choices.attributes)
  const customer = {
    ...playerOf(CUSTOMER),
    profile: elementAt(domain.profiles, choices.profile),
    points: elementAt(domain.points, choices.points),
  }
  return {
    domain,
    world: {
      startsAt: STARTS_AT,
      catalogue: new Map(space.hasCatalogue ? inCatalogue.map(({ sku }) => [sku, price]) : []),
      players: [customer],
    },
    before: Array.from({ length: elementAt(domain.orders, choices.orders) }, (_, index) => cancelledBefore(index)),
    order: {
      ...orderOfLines('order', lines),
      discount: discountOf(choices.discount, totalOf(lines), space),
      subscriptPoints: elementAt(domain.flags, choices.flag),
      referralCode: elementAt(domain.codes, choices.code),
      ...(at === undefined ? {} : { at }),
      ...(attributes === undefined ? {} : { attributes }),
    },
  }
}

/** A player about whom nothing is known. */
export function playerOf(userId: UserId): TestPlayer {
  return {
    userId,
    profile: NO_PROFILE,
    referralCode: '',
    points: 0n,
    counts: true,
  }
}

/** An order whose total is the sum of its lines. */
export function orderOfLines(id: string, lines: readonly Line[], userId = CUSTOMER): SentOrder {
  return {
    id,
    userId,
    lines,
    total: totalOf(lines),
    discount: 0n,
    referralCode: '',
    subscriptPoints: false,
    status: 'placed',
  }
}

export function totalOf(lines: readonly Line[]): Amount {
  return sumAmounts(lines.map(({ amount }) => amount ?? 0n))
}

/** A single order of `times` the quantities, amounts and discount. */
export function multiplied(order: SentOrder, times: bigint): SentOrder {
  const lines = order.lines.map((line) => ({
    ...line,
    qty: line.qty * times,
    ...(line.amount === undefined ? {} : { amount: line.amount * times }),
  }))
  return { ...order, lines, total: order.total * times, discount: order.discount * times }
}

/** The order with `by` more to pay for the first line that is not free. */
export function raised(order: SentOrder, by: Amount): SentOrder {
  const paidIndex = order.lines.findIndex(({ amount }) => amount !== undefined && amount > 0n)
  const lines = order.lines.map((line, index) =>
    index === paidIndex ? { ...line, amount: (line.amount ?? 0n) + by } : line,
  )
  return { ...order, lines, total: order.total + by }
}

/** Returns a function that replays orders after those of the scenario, and returns their steps; undefined if any is refused. */
export function replayAfter(space: SearchSpace, scenario: Pick<Scenario, 'world' | 'before'>) {
  const replay = replayStepsAfter(space, scenario)
  return (orders: readonly SentOrder[]) => replay(orderSteps(orders))
}

/** Like `replayAfter`, for steps, which may have time between them. */
export function replayStepsAfter({ program }: SearchSpace, { world, before }: Pick<Scenario, 'world' | 'before'>) {
  const replay = replayFrom(program, world, orderSteps(before))
  return (steps: readonly HistoryStep[]): RecordedStep[] | undefined => {
    const replayed = replay(steps)
    return replayed.every(isRecorded) ? replayed : undefined
  }
}

/** Whether equal orders of a customer, all at one moment, earn the same for as long as their level stays the same. */
export function earnAlike({ variesWith }: SearchSpace): boolean {
  return !variesWith.balance && !variesWith.count
}

/** Whether the orders found their player at the same level. */
export function isLevelHeld(steps: readonly RecordedStep[]): boolean {
  return steps.every(({ prediction }) => prediction.level.before === steps[0]!.prediction.level.before)
}

/** Whether its player is still at the same level after `count` such orders, each of which earns the same. */
export function keepsLevel(
  { prediction: { points, level } }: RecordedStep,
  count: number,
  { program }: SearchSpace,
): boolean {
  return levelAt(program.levels.ladder, level.levelPoints + BigInt(count - 1) * points) === level.before
}

export type RecordedStep = Extract<ReplayStep, { prediction: Prediction }>

function isRecorded(step: ReplayStep): step is RecordedStep {
  return 'prediction' in step
}

function lineOf({ product, amount, qty, free }: LineChoices, domain: Domain): Line {
  return {
    ...elementAt(domain.products, product),
    qty: elementAt(domain.quantities, qty),
    amount: free === 3 ? 0n : elementAt(domain.amounts, amount),
  }
}

/** The choice of a 100% discount. */
export const ALL_OFF = 3

/** A tenth, half or all of the total; usually nothing. */
function discountOf(choice: number, total: Amount, { step }: SearchSpace): Amount {
  if (choice === ALL_OFF) return total
  const part = choice === 1 ? total / 10n : choice === 2 ? total / 2n : 0n
  return part - (part % step)
}

function cancelledBefore(index: number): SentOrder {
  return { ...orderOfLines(`before-${index + 1}`, [{ qty: AMOUNT_SCALE, amount: 0n }]), status: 'cancelled' }
}

/** An element of a non-empty list; an index beyond its end wraps around. */
export function elementAt<T>(list: readonly T[], index: number): T {
  return list[index % list.length]!
}

/*
 * What is tried on a program comes from the program: for each of its rules the products, amounts, quantities, players and moments that
 * its condition turns on, just below, at and above every threshold; and some that any shop has.
 */
import { AMOUNT_SCALE, parseAmount } from '../../points/arithmetic.ts'
import { type Mentions, mentionsIn } from '../../points/condition.ts'
import type { Profile } from '../../points/ledger/snapshot.ts'
import type { Program } from '../../points/program-model.ts'
import type { Rule } from '../../points/rules/index.ts'
import type { Amount } from '../../points/units.ts'

/** What is tried with one rule in mind. Every list begins with what is simplest. */
export type Aim = Readonly<{
  products: readonly string[]
  amounts: readonly Amount[]
  quantities: readonly Amount[]
  prices: readonly Amount[]
  /** What a player has when they come, all of it counting for the level. */
  points: readonly bigint[]
  /** How many orders a player had before, all cancelled. */
  orders: readonly number[]
  profiles: readonly Profile[]
  flags: readonly boolean[]
  codes: readonly string[]
  moments: readonly (string | undefined)[]
}>

/** What a program's shop may be like. Money and quantities in 1/10,000, as everywhere. */
export type Shop = Readonly<{
  program: Program
  /** The amount that earns about one point by the usual rule: what is less is a small order. */
  unit: Amount
  /** The smallest amount that anything costs: a tenth of a unit. */
  smallest: Amount
  /** The smallest step of money: 1, or 0.01 where the program counts in less. */
  step: Amount
  /** The points of ten units by the usual rule: less is not worth anybody's while. */
  worth: bigint
  /** One in general, then one for each rule. */
  aims: readonly Aim[]
  /** Amounts of usual orders, from a unit on: all thresholds are among them. */
  usual: readonly Amount[]
  /** Products that earn by the piece: nobody sells them for less than a unit. */
  byPiece: ReadonlySet<string>
  hasCatalogue: boolean
}>

export const STARTS_AT = '2026-01-01T00:00:00.000Z'
/** Bought by everybody, named by no rule, not in the catalogue. */
const GOODS = 'GOODS'
const ARTICLE = 'ARTICLE'
const MONEY_FIELDS = ['net', 'total', 'discount', 'amount', 'price']
const NOBODY: Profile = { region: '', district: '', country: '', gender: '' }
const CENT = AMOUNT_SCALE / 100n
const FALLBACK_UNIT = 10n * AMOUNT_SCALE
/** Longer lists are thinned evenly. */
const [AMOUNTS_MAX, USUAL_MAX, SHORT_MAX] = [60, 120, 40]
const ORDERS_BEFORE_MAX = 100n
/** Many such amounts together are still within what an order may carry. */
const MONEY_MAX = 10n ** 11n * AMOUNT_SCALE
/** A text that can be a product's key. */
const PRODUCT = /^(?! )[^\p{C}]{1,100}(?<! )$/u

export function shopOf(program: Program): Shop {
  const rules = program.earn.map((rule) => ({ rule, named: rule.when === undefined ? NOTHING : mentionsIn(rule.when) }))
  const thresholds = rules.flatMap(({ named }) => moneyIn(named))
  const { unit, worth } = unitOf(program, thresholds)
  const steps = program.earn.flatMap((rule) => (rule.kind === 'per-amount' ? [rule.every] : []))
  const isWhole = unit >= FALLBACK_UNIT && [...thresholds, ...steps].every((amount) => amount % AMOUNT_SCALE === 0n)
  const step = isWhole ? AMOUNT_SCALE : CENT
  const whole = (amount: Amount) => (amount < step ? step : amount > MONEY_MAX ? MONEY_MAX : amount - (amount % step))
  const around = (amounts: readonly Amount[]) =>
    amounts.flatMap((amount) => [amount - step, amount, amount + step].map(whole))
  const generic = [1n, 2n, 5n, 10n, 15n, 20n, 50n, 100n, 200n, 500n, 1_000n, 10_000n].map((tenths) =>
    whole((unit * tenths) / 10n),
  )
  const far = [
    ...program.earn.flatMap((rule) => (rule.kind === 'at-most' ? [inMoney(rule.points, unit)] : [])),
    ...program.levels.ladder.map(({ from }) => from * unit),
  ].filter((amount) => amount > 0n)
  const hasCatalogue = rules.some(
    ({ rule, named }) =>
      (rule.kind === 'per-amount' && rule.of === 'catalogue') || named.fields.has('price') || named.fields.has('known'),
  )
  const general: Aim = {
    products: [GOODS, ...(hasCatalogue ? [ARTICLE] : [])],
    amounts: thinned(
      ascending([...generic, ...around(far), ...thinned(ascending(around(thresholds)), 20)]),
      AMOUNTS_MAX,
    ),
    quantities: [AMOUNT_SCALE, 2n * AMOUNT_SCALE],
    prices: [whole(5n * unit)],
    points: thinned(
      program.levels.ladder.map(({ from }) => from),
      SHORT_MAX,
    ),
    orders: [0],
    profiles: [NOBODY],
    flags: [false],
    codes: [''],
    moments: [undefined],
  }
  const perRule = rules.map(({ rule, named }) => aimAt(rule, named, { general, program, around }))
  return {
    program,
    unit,
    smallest: whole(unit / 10n),
    step,
    worth,
    aims: [general, ...perRule],
    usual: thinned(
      ascending([...generic, ...around(far), ...around(thresholds)]).filter((one) => one >= unit),
      USUAL_MAX,
    ),
    byPiece: new Set(rules.flatMap(({ rule, named }) => (rule.kind === 'per-unit' ? productsIn(named) : []))),
    hasCatalogue,
  }
}

const NOTHING: Mentions = { fields: new Set(), texts: [], prefixes: [], numbers: [] }

/** The first per-amount rule that always applies, else the first there is; else the smallest threshold of money. */
function unitOf({ earn }: Program, thresholds: readonly Amount[]): { unit: Amount; worth: bigint } {
  const byMoney = earn.filter((rule) => rule.kind === 'per-amount')
  const usual = byMoney.find(({ when }) => when === undefined) ?? byMoney[0]
  if (usual === undefined) {
    const [least] = ascending(thresholds.filter((amount) => amount > 0n))
    return { unit: least === undefined ? FALLBACK_UNIT : least > MONEY_MAX ? MONEY_MAX : least, worth: 10n }
  }
  const forOne = (usual.every * AMOUNT_SCALE) / usual.points
  const wanted = usual.wholeSteps && usual.every > forOne ? usual.every : forOne < CENT ? CENT : forOne
  const unit = wanted > MONEY_MAX ? MONEY_MAX : wanted
  const worth = (10n * unit * usual.points) / (usual.every * AMOUNT_SCALE)
  return { unit, worth: worth < 10n ? 10n : worth }
}

type Around = Readonly<{
  general: Aim
  program: Program
  around: (amounts: readonly Amount[]) => Amount[]
}>

function aimAt(rule: Rule, named: Mentions, { general, program, around }: Around): Aim {
  const has = (...fields: string[]) => fields.some((field) => named.fields.has(field))
  const numbers = named.numbers
    .map((one) => parseAmount(String(one)))
    .filter((one) => one !== undefined && one <= MONEY_MAX) as Amount[]
  const wholes = numbers.map((one) => one / AMOUNT_SCALE)
  const near = wholes.flatMap((one) => [one - 1n, one, one + 1n]).filter((one) => one >= 0n)
  const levels = program.levels.ladder.filter(({ name }) => named.texts.includes(name)).map(({ from }) => from)
  return {
    ...general,
    products: [...general.products, ...productsIn(named)],
    amounts: ascending([...general.amounts, ...around(moneyIn(named)), ...around(stepsOf(rule))]),
    quantities: has('qty', 'lines')
      ? thinned(
          ascending([
            ...general.quantities,
            ...numbers.flatMap((one) => [one - AMOUNT_SCALE, one, one + AMOUNT_SCALE]).filter((one) => one > 0n),
          ]),
          SHORT_MAX,
        )
      : general.quantities,
    prices: has('price') ? thinned([...general.prices, ...around(numbers)], SHORT_MAX) : general.prices,
    points:
      levels.length > 0 || has('points', 'earned')
        ? thinned(unique([0n, ...levels, ...(has('points', 'earned') ? near : [])]), SHORT_MAX)
        : general.points,
    orders: has('orders')
      ? thinned(unique([0n, 1n, ...near.filter((one) => one <= ORDERS_BEFORE_MAX)]).map(Number), SHORT_MAX)
      : [0],
    profiles: profilesFor(named, wholes),
    flags: has('subscript_points') ? [false, true] : [false],
    codes: has('referral_code') ? ['', 'CODE', ...named.texts] : [''],
    moments: has('at') ? momentsFor(named) : [undefined],
  }
}

function stepsOf(rule: Rule): Amount[] {
  return rule.kind === 'per-amount' ? [rule.every] : []
}

function moneyIn({ fields, numbers }: Mentions): Amount[] {
  if (!MONEY_FIELDS.some((field) => fields.has(field))) return []
  return numbers.map((one) => parseAmount(String(one))).filter((one) => one !== undefined && one > 0n) as Amount[]
}

/** A product for every text that a condition on products holds: `TEA-` of `startsWith("TEA-")` becomes TEA-1. */
function productsIn({ fields, texts, prefixes }: Mentions): string[] {
  if (!fields.has('sku')) return []
  return unique(texts.filter((text) => PRODUCT.test(text)).map((text) => (prefixes.includes(text) ? `${text}1` : text)))
}

function profilesFor({ fields, texts }: Mentions, numbers: readonly bigint[]): Profile[] {
  // A condition says `state`, as the wire does.
  const places = (['region', 'district', 'country', 'gender'] as const).filter((field) =>
    fields.has(field === 'region' ? 'state' : field),
  )
  const ages = fields.has('age') ? numbers.flatMap((age) => [age - 1n, age, age + 1n]) : []
  const born = ages.filter((age) => age > 0n && age < 120n).map((age) => `${2026n - age}-01-01`)
  let profiles: Profile[] = [NOBODY]
  for (const field of places)
    profiles = profiles.flatMap((profile) => [
      profile,
      ...texts
        .filter((text) => text !== '' && (field !== 'gender' || text === 'male' || text === 'female'))
        .slice(0, 6)
        .map((text) => ({ ...profile, [field]: text })),
    ])
  return thinned(
    profiles.flatMap((profile) => [profile, ...born.map((dateOfBirth) => ({ ...profile, dateOfBirth }))]),
    SHORT_MAX,
  )
}

/** A week of each month, three times a day; and around every moment that is named. */
function momentsFor({ texts }: Mentions): (string | undefined)[] {
  const [hour, day] = [3_600_000, 24 * 3_600_000]
  const named = texts.map((text) => Date.parse(text)).filter((at) => !Number.isNaN(at))
  const start = Date.parse(STARTS_AT)
  const moments = [...named.flatMap((at) => [at - 1_000, at, at + 1_000])]
  for (let month = 0; month < 12; month += 1)
    for (let weekday = 0; weekday < 7; weekday += 1)
      for (const hours of [3, 12, 21]) moments.push(Date.UTC(2026, month, 1) + weekday * day + hours * hour)
  return [undefined, ...moments.filter((at) => at > start).map((at) => new Date(at).toISOString())]
}

function inMoney(points: Amount, unit: Amount): Amount {
  return (points * unit) / AMOUNT_SCALE
}

function unique<T>(all: readonly T[]): T[] {
  return [...new Set(all)]
}

function ascending(amounts: readonly Amount[]): Amount[] {
  return unique(amounts).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** At most `max` of a list, evenly; the first and the last are among them. */
function thinned<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all]
  return Array.from({ length: max }, (_, index) => all[Math.floor((index * (all.length - 1)) / (max - 1))]!)
}

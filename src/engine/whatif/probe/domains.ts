/*
 * The values that a rule's condition depends on: just below, at and just above every number it names, and the texts it compares with.
 */
import { AMOUNT_SCALE, parseAmount } from '../../points/arithmetic.ts'
import type { AttributeTypes } from '../../points/attributes.ts'
import { dayAfter } from '../../points/calendar.ts'
import type { Mentions } from '../../points/condition.ts'
import type { Profile } from '../../points/ledger/snapshot.ts'
import { clockToInstant, instantAfter } from '../../points/local-time.ts'
import type { Program } from '../../points/program-model.ts'
import type { RuleSchedule } from '../../points/rule-schedule.ts'
import type { Rule } from '../../points/rules/index.ts'
import type { Amount, AttributeSet, Instant } from '../../points/units.ts'
import { attributeSetsFor } from './attribute-values.ts'
import { ascending, MONEY_MAX, type Money } from './money.ts'

/** What a line sells. The attributes are its own: a program knows no products. */
export type Goods = Readonly<{ sku: string; attributes?: AttributeSet }>

/** The values to try for one rule. Every list starts with the simplest. */
export type Domain = Readonly<{
  products: readonly Goods[]
  amounts: readonly Amount[]
  quantities: readonly Amount[]
  prices: readonly Amount[]
  /** The customer's opening balance, all of which counts for the level. */
  points: readonly bigint[]
  /** How many orders the customer had before, all cancelled. */
  orders: readonly number[]
  profiles: readonly Profile[]
  flags: readonly boolean[]
  codes: readonly string[]
  times: readonly (string | undefined)[]
  /** Of the order. */
  attributes: readonly (AttributeSet | undefined)[]
}>

export const STARTS_AT = '2026-01-01T00:00:00.000Z'
/** Birthdays on the day on which scenarios start, in any time zone, and on another day of that month. */
const BIRTHDAYS = ['1990-01-01', '1989-12-31', '1990-01-20']
export const NO_PROFILE: Profile = { region: '', district: '', country: '', gender: '' }
/** The maximum length of most lists; longer ones are thinned. */
export const SHORT_MAX = 40

const MONEY_FIELDS = ['net', 'total', 'discount', 'amount', 'price']
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
const ORDERS_BEFORE_MAX = 100n
const TEXTS_MAX = 6
/** Texts that can be a product's key. */
const PRODUCT = /^(?! )[^\p{C}]{1,100}(?<! )$/u

/** The domain of one rule: the general one, extended by what the rule's condition mentions. */
export function domainFor(rule: Rule, mentions: Mentions, general: Domain, program: Program, money: Money): Domain {
  const has = (...fields: string[]) => fields.some((field) => mentions.fields.has(field))
  const numbers = amountsIn(mentions).filter((amount) => amount <= MONEY_MAX)
  const wholes = numbers.map((number) => number / AMOUNT_SCALE)
  const near = wholes.flatMap((whole) => [whole - 1n, whole, whole + 1n]).filter((whole) => whole >= 0n)
  const levelStarts = program.levels.ladder.filter(({ name }) => mentions.texts.includes(name)).map(({ from }) => from)
  const quantities = numbers.flatMap((number) => [number - AMOUNT_SCALE, number, number + AMOUNT_SCALE])
  const steps = rule.kind === 'per-amount' ? [rule.every] : []
  return {
    ...general,
    products: [...general.products, ...goodsIn(mentions, general, program)],
    amounts: ascending([...general.amounts, ...money.around(moneyIn(mentions)), ...money.around(steps)]),
    quantities: has('qty', 'lines')
      ? thinned(ascending([...general.quantities, ...quantities.filter((qty) => qty > 0n)]), SHORT_MAX)
      : general.quantities,
    prices: has('price') ? thinned([...general.prices, ...money.around(numbers)], SHORT_MAX) : general.prices,
    points:
      levelStarts.length > 0 || has('points', 'earned')
        ? thinned(unique([0n, ...levelStarts, ...(has('points', 'earned') ? near : [])]), SHORT_MAX)
        : general.points,
    orders: has('orders')
      ? thinned(unique([0n, 1n, ...near.filter((count) => count <= ORDERS_BEFORE_MAX)]).map(Number), SHORT_MAX)
      : [0],
    profiles: profilesFor(mentions, wholes, setsIn(mentions, 'player', program)),
    flags: has('subscript_points') ? [false, true] : [false],
    codes: has('referral_code') ? ['', 'CODE', ...mentions.texts] : [''],
    times: timesFor(rule, mentions, program),
    attributes: [undefined, ...setsIn(mentions, 'order', program)],
  }
}

/** The amounts that a condition on money mentions. */
export function moneyIn(mentions: Mentions): Amount[] {
  if (!MONEY_FIELDS.some((field) => mentions.fields.has(field))) return []
  return amountsIn(mentions).filter((amount) => amount > 0n)
}

/** Goods that a condition can tell apart: by product, and each, or any, with every set of attributes. */
export function goodsIn(mentions: Mentions, general: Domain, program: Program): Goods[] {
  const named = productsIn(mentions).map((sku) => ({ sku }))
  const sets = setsIn(mentions, 'product', program)
  const products = named.length === 0 ? general.products.slice(0, 1) : named
  return thinned(
    [...named, ...products.flatMap(({ sku }) => sets.map((attributes) => ({ sku, attributes })))],
    SHORT_MAX,
  )
}

function setsIn({ attributes }: Mentions, owner: keyof AttributeTypes, program: Program): AttributeSet[] {
  if (program.attributes === undefined) return []
  return attributeSetsFor(
    attributes.filter(({ of }) => of === owner),
    program.attributes[owner],
  )
}

/** A product for every text in a condition on products: `startsWith("TEA-")` yields TEA-1. */
function productsIn({ fields, texts, prefixes }: Mentions): string[] {
  if (!fields.has('sku')) return []
  return unique(texts.filter((text) => PRODUCT.test(text)).map((text) => (prefixes.includes(text) ? `${text}1` : text)))
}

function amountsIn({ numbers }: Mentions): Amount[] {
  return numbers.map((number) => parseAmount(String(number))).filter((amount) => amount !== undefined)
}

function profilesFor(
  { fields, texts }: Mentions,
  numbers: readonly bigint[],
  sets: readonly AttributeSet[],
): Profile[] {
  // Conditions call the region `state`, as the wire does.
  const places = (['region', 'district', 'country', 'gender'] as const).filter((field) =>
    fields.has(field === 'region' ? 'state' : field),
  )
  const ages = fields.has('age') ? numbers.flatMap((age) => [age - 1n, age, age + 1n]) : []
  const hasBirthday = fields.has('is_birthday') || fields.has('is_birth_month')
  const born = [
    ...ages.filter((age) => age > 0n && age < 120n).map((age) => `${2026n - age}-01-01`),
    ...(hasBirthday ? BIRTHDAYS : []),
  ]
  let profiles: Profile[] = [NO_PROFILE]
  for (const field of places)
    profiles = profiles.flatMap((profile) => [
      profile,
      ...texts
        .filter((text) => text !== '' && (field !== 'gender' || text === 'male' || text === 'female'))
        .slice(0, TEXTS_MAX)
        .map((text) => ({ ...profile, [field]: text })),
    ])
  const withAges = profiles.flatMap((profile) => [profile, ...born.map((dateOfBirth) => ({ ...profile, dateOfBirth }))])
  return thinned(
    withAges.flatMap((profile) => [profile, ...sets.map((attributes) => ({ ...profile, attributes }))]),
    SHORT_MAX,
  )
}

/** The moments that a rule depends on. Undefined, the simplest, means the order's arrival. */
function timesFor({ during }: Rule, { fields, texts }: Mentions, { timeZone }: Program): (string | undefined)[] {
  const named = fields.has('at') || fields.has('date') ? timesNamed(texts, timeZone) : []
  const bounded = during === undefined ? [] : timesAround(during, timeZone)
  return [undefined, ...[...named, ...bounded].filter((at) => at > STARTS_AT)]
}

/** The first week of each month, three times a day, and moments around every moment or day that the condition names. */
function timesNamed(texts: readonly string[], timeZone: string): Instant[] {
  const days = texts.filter((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)))
  const named = texts.filter((text) => !days.includes(text)).map((text) => Date.parse(text))
  const times = [
    ...named.filter((at) => !Number.isNaN(at)),
    ...days.flatMap((day) =>
      [day, dayAfter(day, 1)].map((one) => Date.parse(clockToInstant({ day: one, minute: 0 }, timeZone))),
    ),
  ].flatMap((at) => [at - 1_000, at, at + 1_000])
  for (let month = 0; month < 12; month += 1)
    for (let weekday = 0; weekday < 7; weekday += 1)
      for (const hours of [3, 12, 21]) times.push(Date.UTC(2026, month, 1) + weekday * DAY_MS + hours * HOUR_MS)
  return times.map((at) => new Date(at).toISOString())
}

/** Moments around both ends of a rule's days and hours, on its last day, and on each day of its first week. */
function timesAround({ from, until, hours }: RuleSchedule, timeZone: string): Instant[] {
  const start = STARTS_AT.slice(0, 10)
  const first = from !== undefined && from > start ? from : dayAfter(start, 1)
  const days = [-1, 0, 1, 2, 3, 4, 5, 6, 7].map((later) => dayAfter(first, later))
  const last = until === undefined ? [] : [until, dayAfter(until, 1)]
  const minutes = [0, ...(hours === undefined ? [] : [hours.from, hours.until])]
  return unique(
    [...days, ...last].flatMap((day) => minutes.map((minute) => clockToInstant({ day, minute }, timeZone))),
  ).flatMap((at) => [-1_000, 0].map((later) => instantAfter(at, later)))
}

/** At most `max` elements, spread evenly over the list, including the first and the last. */
export function thinned<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all]
  return Array.from({ length: max }, (_, index) => all[Math.floor((index * (all.length - 1)) / (max - 1))]!)
}

function unique<T>(all: readonly T[]): T[] {
  return [...new Set(all)]
}

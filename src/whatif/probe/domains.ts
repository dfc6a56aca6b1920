/*
 * The values that a rule's condition depends on: just below, at and above every number it names, and the texts it compares with.
 */
import { AMOUNT_SCALE, parseAmount } from '../../points/arithmetic.ts'
import type { Mentions } from '../../points/condition.ts'
import type { Profile } from '../../points/ledger/snapshot.ts'
import type { Program } from '../../points/program-model.ts'
import type { Rule } from '../../points/rules/index.ts'
import type { Amount } from '../../points/units.ts'
import { ascending, thinned, unique } from './lists.ts'
import { MONEY_MAX, type Money } from './money.ts'

/** The values to try with one rule in mind. Every list begins with the simplest. */
export type Domain = Readonly<{
  products: readonly string[]
  amounts: readonly Amount[]
  quantities: readonly Amount[]
  prices: readonly Amount[]
  /** What the customer has before, all of it counting for the level. */
  points: readonly bigint[]
  /** How many orders the customer had before, all cancelled. */
  orders: readonly number[]
  profiles: readonly Profile[]
  flags: readonly boolean[]
  codes: readonly string[]
  moments: readonly (string | undefined)[]
}>

export const STARTS_AT = '2026-01-01T00:00:00.000Z'
export const NO_PROFILE: Profile = { region: '', district: '', country: '', gender: '' }
/** The length of most lists; longer ones are thinned. */
export const SHORT_MAX = 40

const MONEY_FIELDS = ['net', 'total', 'discount', 'amount', 'price']
const ORDERS_BEFORE_MAX = 100n
const TEXTS_MAX = 6
/** A text that can be a product's key. */
const PRODUCT = /^(?! )[^\p{C}]{1,100}(?<! )$/u

/** The domain of one rule: the general one, and what the rule's condition mentions. */
export function domainFor(rule: Rule, mentions: Mentions, general: Domain, { levels }: Program, money: Money): Domain {
  const has = (...fields: string[]) => fields.some((field) => mentions.fields.has(field))
  const numbers = amountsIn(mentions).filter((amount) => amount <= MONEY_MAX)
  const wholes = numbers.map((number) => number / AMOUNT_SCALE)
  const near = wholes.flatMap((whole) => [whole - 1n, whole, whole + 1n]).filter((whole) => whole >= 0n)
  const levelStarts = levels.ladder.filter(({ name }) => mentions.texts.includes(name)).map(({ from }) => from)
  const quantities = numbers.flatMap((number) => [number - AMOUNT_SCALE, number, number + AMOUNT_SCALE])
  const steps = rule.kind === 'per-amount' ? [rule.every] : []
  return {
    ...general,
    products: [...general.products, ...productsIn(mentions)],
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
    profiles: profilesFor(mentions, wholes),
    flags: has('subscript_points') ? [false, true] : [false],
    codes: has('referral_code') ? ['', 'CODE', ...mentions.texts] : [''],
    moments: has('at') ? momentsFor(mentions) : [undefined],
  }
}

/** The amounts that a condition on money names. */
export function moneyIn(mentions: Mentions): Amount[] {
  if (!MONEY_FIELDS.some((field) => mentions.fields.has(field))) return []
  return amountsIn(mentions).filter((amount) => amount > 0n)
}

/** A product for every text of a condition on products: `TEA-` of `startsWith("TEA-")` becomes TEA-1. */
export function productsIn({ fields, texts, prefixes }: Mentions): string[] {
  if (!fields.has('sku')) return []
  return unique(texts.filter((text) => PRODUCT.test(text)).map((text) => (prefixes.includes(text) ? `${text}1` : text)))
}

function amountsIn({ numbers }: Mentions): Amount[] {
  return numbers.map((number) => parseAmount(String(number))).filter((amount) => amount !== undefined)
}

function profilesFor({ fields, texts }: Mentions, numbers: readonly bigint[]): Profile[] {
  // A condition says `state`, as the wire does.
  const places = (['region', 'district', 'country', 'gender'] as const).filter((field) =>
    fields.has(field === 'region' ? 'state' : field),
  )
  const ages = fields.has('age') ? numbers.flatMap((age) => [age - 1n, age, age + 1n]) : []
  const born = ages.filter((age) => age > 0n && age < 120n).map((age) => `${2026n - age}-01-01`)
  let profiles: Profile[] = [NO_PROFILE]
  for (const field of places)
    profiles = profiles.flatMap((profile) => [
      profile,
      ...texts
        .filter((text) => text !== '' && (field !== 'gender' || text === 'male' || text === 'female'))
        .slice(0, TEXTS_MAX)
        .map((text) => ({ ...profile, [field]: text })),
    ])
  return thinned(
    profiles.flatMap((profile) => [profile, ...born.map((dateOfBirth) => ({ ...profile, dateOfBirth }))]),
    SHORT_MAX,
  )
}

/** A week of each month, three times a day; and around every moment that the condition names. */
function momentsFor({ texts }: Mentions): (string | undefined)[] {
  const [hour, day] = [3_600_000, 24 * 3_600_000]
  const named = texts.map((text) => Date.parse(text)).filter((at) => !Number.isNaN(at))
  const start = Date.parse(STARTS_AT)
  const moments = named.flatMap((at) => [at - 1_000, at, at + 1_000])
  for (let month = 0; month < 12; month += 1)
    for (let weekday = 0; weekday < 7; weekday += 1)
      for (const hours of [3, 12, 21]) moments.push(Date.UTC(2026, month, 1) + weekday * day + hours * hour)
  return [undefined, ...moments.filter((at) => at > start).map((at) => new Date(at).toISOString())]
}

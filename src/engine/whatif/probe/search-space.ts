/*
 * What the probe tries on a program, derived from the program itself: a general domain, and one for each of its rules.
 */
import { AMOUNT_SCALE } from '../../points/arithmetic.ts'
import { type Mentions, mentionsIn, type Variation } from '../../points/condition.ts'
import type { Program } from '../../points/program-model.ts'
import type { Rule } from '../../points/rules/index.ts'
import type { Amount } from '../../points/units.ts'
import { type Domain, domainFor, type Goods, goodsIn, moneyIn, NO_PROFILE, SHORT_MAX, thinned } from './domains.ts'
import { ascending, type Money, moneyOf } from './money.ts'

/** Money and quantities are in 1/10,000. */
export type SearchSpace = Readonly<{
  program: Program
  /** The smallest amount that anything may cost: a tenth of a unit. */
  smallest: Amount
  /** The general domain, then one for each rule. */
  domains: readonly Domain[]
  /** The amounts of usual orders: a unit or more, including all thresholds. */
  usual: readonly Amount[]
  /** Goods that earn by the piece, which no shop sells for less than a unit; by `goodsKey`. */
  perUnit: ReadonlySet<string>
  /** What the points of equal orders of a customer vary with. No referral code of a scenario belongs to anyone. */
  variesWith: Variation
  hasCatalogue: boolean
}> &
  Pick<Money, 'unit' | 'gainMin' | 'step'>

type MentioningRule = Readonly<{ rule: Rule; mentions: Mentions }>

/** A product that no rule names and that is not in the catalogue. */
const GOODS: Goods = { sku: 'GOODS' }
const ARTICLE: Goods = { sku: 'ARTICLE' }
const NO_MENTIONS: Mentions = {
  fields: new Set(),
  texts: [],
  prefixes: [],
  numbers: [],
  attributes: [],
  variesWith: { balance: false, level: false, count: false, moment: false },
}
const TENTHS_OF_UNIT = [1n, 2n, 5n, 10n, 15n, 20n, 50n, 100n, 200n, 500n, 1_000n, 10_000n]
const [AMOUNTS_MAX, THRESHOLDS_MAX, USUAL_MAX] = [60, 20, 120]

export function searchSpaceOf(program: Program): SearchSpace {
  const rules = program.earn.map((rule) => ({
    rule,
    mentions: rule.when === undefined ? NO_MENTIONS : mentionsIn(rule.when),
  }))
  const thresholds = rules.flatMap(({ mentions }) => moneyIn(mentions))
  const money = moneyOf(program, thresholds)
  const { unit, gainMin, step, inSteps, around } = money
  const typical = [
    ...TENTHS_OF_UNIT.map((tenths) => inSteps((unit * tenths) / 10n)),
    ...around(limitsOf(program, unit).filter((amount) => amount > 0n)),
  ]
  const hasCatalogue = rules.some(needsCatalogue)
  const general: Domain = {
    products: [GOODS, ...(hasCatalogue ? [ARTICLE] : [])],
    amounts: thinned(ascending([...typical, ...thinned(ascending(around(thresholds)), THRESHOLDS_MAX)]), AMOUNTS_MAX),
    quantities: [AMOUNT_SCALE, 2n * AMOUNT_SCALE],
    prices: [inSteps(5n * unit)],
    points: thinned(
      program.levels.ladder.map(({ from }) => from),
      SHORT_MAX,
    ),
    orders: [0],
    profiles: [NO_PROFILE],
    flags: [false],
    codes: [''],
    times: [undefined],
    attributes: [undefined],
  }
  return {
    program,
    unit,
    gainMin,
    step,
    smallest: inSteps(unit / 10n),
    domains: [general, ...rules.map(({ rule, mentions }) => domainFor(rule, mentions, general, program, money))],
    usual: thinned(
      ascending([...typical, ...around(thresholds)]).filter((amount) => amount >= unit),
      USUAL_MAX,
    ),
    perUnit: new Set(
      rules.flatMap(({ rule, mentions }) =>
        rule.kind === 'per-unit' ? goodsIn(mentions, general, program).map(goodsKey) : [],
      ),
    ),
    variesWith: {
      balance: rules.some(({ mentions }) => mentions.variesWith.balance),
      level: rules.some(({ mentions }) => mentions.variesWith.level),
      count: rules.some(({ mentions }) => mentions.variesWith.count),
      moment: rules.some(({ rule, mentions }) => rule.during !== undefined || mentions.variesWith.moment),
    },
    hasCatalogue,
  }
}

/** Tells goods apart. No SKU has a tab. */
export function goodsKey({ sku = '', attributes = '' }: Partial<Goods>): string {
  return `${sku}\t${attributes}`
}

/** The amounts that reach each ceiling and each level under the usual rule. */
function limitsOf({ earn, levels }: Program, unit: Amount): Amount[] {
  return [
    ...earn.flatMap((rule) => (rule.kind === 'at-most' ? [(rule.points * unit) / AMOUNT_SCALE] : [])),
    ...levels.ladder.map(({ from }) => from * unit),
  ]
}

function needsCatalogue({ rule, mentions }: MentioningRule): boolean {
  return (
    (rule.kind === 'per-amount' && rule.of === 'catalogue') ||
    mentions.fields.has('price') ||
    mentions.fields.has('known')
  )
}

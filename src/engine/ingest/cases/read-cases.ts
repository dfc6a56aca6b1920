/*
 * Reads a file of test cases. Fields that do not matter to a case may be left out.
 */
import { NO_ATTRIBUTES } from '../../points/attributes.ts'
import type { Issue } from '../../points/issue.ts'
import { Type } from '../../points/json-schema.ts'
import { repeatedNames } from '../../points/program.ts'
import type { Program } from '../../points/program-model.ts'
import type { Amount, AttributeSet } from '../../points/units.ts'
import type { Cases, TestCase } from '../../whatif/cases.ts'
import type { TestPlayer } from '../../whatif/replay.ts'
import { boolean, dateOfBirth, decimal, key, nonEmptyText, signedWhole, text, timestamp } from '../fields.ts'
import { playerAttributes } from '../player.ts'
import { productFields } from '../product.ts'
import { type Field, InvalidValue, optional, readRecord, required } from '../record.ts'
import { byPlace, type FileIssue, readYaml } from '../yaml-text.ts'
import { DEFAULT_PLAYER_ID, END_OF_TIME } from './case-order.ts'
import { testStepReader } from './case-steps.ts'
import {
  collectIssue,
  isNamedValues,
  type NamedValues,
  namedValues,
  nonEmptyList,
  readEvery,
} from './collect-issues.ts'

const SEE_CASES = 'docs/what-if.md#test-orders'

const LIST_MAX = 10_000
const CASE_ORDERS_MAX = 1_000
/** Fixed, so that cases have the same results next year. */
const STARTS_AT = '2026-01-01T00:00:00.000Z'

/** How many decimals amounts of the file may have, for programs without `money`. */
const amountDecimals: Field<number> = {
  schema: Type.Integer({ minimum: 0, maximum: 4 }),
  read: (value) => {
    if (typeof value !== 'number' || ![0, 1, 2, 3, 4].includes(value))
      throw new InvalidValue('an integer between 0 and 4', value)
    return value
  },
}

export const fileFields = {
  startsAt: optional('starts_at', timestamp, STARTS_AT),
  amountDecimals: optional('amount_decimals', amountDecimals, 0),
  products: optional('products', namedValues(LIST_MAX), {}),
  players: optional('players', namedValues(LIST_MAX), {}),
  cases: required('cases', nonEmptyList('cases', LIST_MAX)),
}

/** A product that is an object, not only a price. */
export const testProductFields = { price: productFields.price, attributes: productFields.attributes }

export const testPlayerFields = {
  region: optional('state', text, ''),
  district: optional('district', text, ''),
  country: optional('country', text, ''),
  gender: optional('gender', text, ''),
  dateOfBirth: optional('date_of_birth', dateOfBirth(END_OF_TIME), undefined),
  referralCode: optional('referral_code', text, ''),
  points: optional('points', signedWhole, 0n),
  counts: optional('counts', boolean, true),
  participates: optional('participates', boolean, true),
  attributes: optional('attributes', playerAttributes, undefined),
}

export const caseFields = {
  name: required('name', nonEmptyText),
  orders: required('orders', nonEmptyList('orders', CASE_ORDERS_MAX)),
}

/**
 * Reads the text of a cases file, YAML or JSON, or lists all of its issues at once, with path and line. Amounts may have as many decimals as
 * either the program or the file allows (decision 69).
 *
 * Bounds   10,000 products, players and cases; 1,000 orders in a case
 * Source   docs/programs.md
 */
export function readCasesText(
  text: string,
  { money }: Pick<Program, 'money'>,
): { cases: Cases } | { issues: readonly FileIssue[] } {
  const yaml = readYaml(text)
  if ('issues' in yaml) return yaml
  const issues: Issue[] = []
  const cases = readCases(yaml.value, money.decimals, issues)
  if (cases !== undefined && issues.length + yaml.ignored.length === 0) return { cases }
  const placed = issues.map((issue) => yaml.placed({ ...issue, see: SEE_CASES }))
  return { issues: [...yaml.ignored, ...placed].sort(byPlace) }
}

function readCases(raw: unknown, decimals: number, issues: Issue[]): Cases | undefined {
  const file = readEvery(fileFields, raw, '', issues)
  if (file === undefined) return undefined
  const named: NamedValues = { [DEFAULT_PLAYER_ID]: {}, ...file.players }
  const readTestSteps = testStepReader(Math.max(decimals, file.amountDecimals), new Set(Object.keys(named)))
  const cases = file.cases.flatMap((one, index): TestCase[] => {
    const path = `cases[${index}]`
    const read = readEvery(caseFields, one, path, issues)
    if (read === undefined) return []
    const before = issues.length
    const steps = readTestSteps(read.orders, `${path}.orders`, issues)
    if (issues.length === before && steps.every(({ expected }) => expected === undefined))
      issues.push({ path, error: 'expected at least one step with `expect`: this case cannot fail' })
    return [{ name: read.name, steps }]
  })
  if (cases.length === file.cases.length) issues.push(...repeatedNames(cases, 'cases'))
  return {
    startsAt: file.startsAt,
    ...readProducts(file.products, issues),
    players: Object.entries(named).map(([userId, facts]) => readPlayer(userId, facts ?? {}, issues)),
    cases,
  }
}

/** Products are prices, or objects with a price and attributes. */
function readProducts(products: NamedValues, issues: Issue[]): Pick<Cases, 'catalogue' | 'attributes'> {
  const catalogue = new Map<string, Amount>()
  const attributes = new Map<string, AttributeSet>()
  for (const [sku, written] of Object.entries(products)) {
    const path = `products.${sku}`
    const product = isNamedValues(written) ? readEvery(testProductFields, written, path, issues) : undefined
    collectIssue(path, issues, () => catalogue.set(key.read(sku), product?.price ?? readPrice(written)))
    if (product?.attributes !== undefined) attributes.set(sku, product.attributes)
  }
  return { catalogue, ...(attributes.size === 0 ? {} : { attributes }) }
}

/** The price of a product that is not an object; of one, its own issues say what is wrong. */
function readPrice(written: unknown): Amount {
  return isNamedValues(written) ? 0n : decimal.read(written)
}

function readPlayer(userId: string, raw: unknown, issues: Issue[]): TestPlayer {
  const path = `players.${userId}`
  collectIssue(path, issues, () => key.read(userId))
  const facts = readEvery(testPlayerFields, raw, path, issues) ?? readRecord(testPlayerFields, {}, path)
  const { referralCode, points, counts, dateOfBirth, participates, attributes, ...rest } = facts
  const profile = {
    ...rest,
    ...(participates ? {} : { participates }),
    ...(attributes === undefined || attributes === NO_ATTRIBUTES ? {} : { attributes }),
  }
  return {
    userId,
    profile: { ...profile, ...(dateOfBirth === undefined ? {} : { dateOfBirth }) },
    referralCode,
    points,
    counts,
  }
}

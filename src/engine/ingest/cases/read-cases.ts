/*
 * Reads a file of test cases. Fields that do not matter to a case may be left out.
 */
import { NO_ATTRIBUTES } from '../../points/attributes.ts'
import { Type } from '../../points/json-schema.ts'
import { repeatedNames } from '../../points/program.ts'
import type { Program } from '../../points/program-model.ts'
import type { Amount } from '../../points/units.ts'
import type { Cases, TestCase } from '../../whatif/cases.ts'
import type { TestPlayer } from '../../whatif/replay.ts'
import { boolean, dateOfBirth, decimal, key, nonEmptyText, signedWhole, text, timestamp } from '../fields.ts'
import { playerAttributes } from '../player.ts'
import { type Field, InvalidValue, optional, readRecord, required } from '../record.ts'
import { type FileIssue, readYaml } from '../yaml-text.ts'
import { DEFAULT_PLAYER_ID, END_OF_TIME } from './case-order.ts'
import { testStepReader } from './case-steps.ts'
import { collectIssue, type NamedValues, namedValues, nonEmptyList, readEvery } from './collect-issues.ts'

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

const fileFields = {
  startsAt: optional('starts_at', timestamp, STARTS_AT),
  amountDecimals: optional('amount_decimals', amountDecimals, 0),
  products: optional('products', namedValues(LIST_MAX), {}),
  players: optional('players', namedValues(LIST_MAX), {}),
  cases: required('cases', nonEmptyList('cases', LIST_MAX)),
}

const playerFields = {
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

const caseFields = {
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
  const issues: FileIssue[] = []
  const cases = readCases(yaml.value, money.decimals, issues)
  if (cases !== undefined && issues.length === 0) return { cases }
  return { issues: issues.map(yaml.withLine).sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
}

function readCases(raw: unknown, decimals: number, issues: FileIssue[]): Cases | undefined {
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
    catalogue: readProducts(file.products, issues),
    players: Object.entries(named).map(([userId, facts]) => readPlayer(userId, facts ?? {}, issues)),
    cases,
  }
}

function readProducts(products: NamedValues, issues: FileIssue[]): Map<string, Amount> {
  const prices = new Map<string, Amount>()
  for (const [sku, price] of Object.entries(products))
    collectIssue(`products.${sku}`, issues, () => prices.set(key.read(sku), decimal.read(price)))
  return prices
}

function readPlayer(userId: string, raw: unknown, issues: FileIssue[]): TestPlayer {
  const path = `players.${userId}`
  collectIssue(path, issues, () => key.read(userId))
  const facts = readEvery(playerFields, raw, path, issues) ?? readRecord(playerFields, {}, path)
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

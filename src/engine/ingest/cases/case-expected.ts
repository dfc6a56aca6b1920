/*
 * Reads the expected result of a step of a case.
 */

import { parseRatio, type Ratio } from '../../points/arithmetic.ts'
import type { Issue } from '../../points/issue.ts'
import { Type } from '../../points/json-schema.ts'
import { type Expected, REFUSAL_KINDS } from '../../whatif/cases.ts'
import { nonEmptyText, oneOf, signedWhole } from '../fields.ts'
import { type Field, InvalidValue, optional, type RecordOf } from '../record.ts'
import { collectIssue, namedValues, nonEmptyList, readEvery } from './collect-issues.ts'

/** The most rules that a program may have. */
const RULES_MAX = 200

const exactPoints: Field<Ratio> = {
  schema: Type.String(),
  read: (value) => {
    // A bare number with more digits may have been rounded by the parser.
    const text = typeof value === 'number' && String(value).length <= 15 ? String(value) : value
    const points = typeof text === 'string' ? parseRatio(text) : undefined
    if (points === undefined) throw new InvalidValue('exact points like 12, "123.4" or "10/3"', value)
    return points
  },
}

/** Expectations for any step; one that is refused changes nothing. */
const summaryFields = {
  balance: optional('balance', signedWhole, undefined),
  available: optional('available', signedWhole, undefined),
  pending: optional('pending', signedWhole, undefined),
  held: optional('held', signedWhole, undefined),
  refused: optional('refused', oneOf(REFUSAL_KINDS), undefined),
}

/** Expectations for an order: those for any step, and more. */
export const expectedFields = {
  points: optional('points', signedWhole, undefined),
  level: optional('level', nonEmptyText, undefined),
  message: optional('message', nonEmptyText, undefined),
  ...summaryFields,
  earned: optional('earned', namedValues(RULES_MAX), {}),
  notApplied: optional('not_applied', nonEmptyList('rules', RULES_MAX), []),
}

/** Reads the expected result of an order. Every issue is added to `issues`. */
export function readExpectedOfOrder(raw: unknown, path: string, issues: Issue[]): Expected {
  const before = issues.length
  const read = readEvery(expectedFields, raw, path, issues)
  const earned = Object.entries(read?.earned ?? {}).map(
    ([rule, value]) => [rule, collectIssue(`${path}.earned.${rule}`, issues, () => exactPoints.read(value))!] as const,
  )
  const notApplied = (read?.notApplied ?? []).map(
    (rule, index) => collectIssue(`${path}.not_applied[${index}]`, issues, () => nonEmptyText.read(rule))!,
  )
  const { points, level, message } = read ?? {}
  const expected = { points, level, message, ...summaryIn(read), earned: new Map(earned), notApplied }
  if (issues.length > before) return expected
  if (expected.refused !== undefined && [points, level, message, ...earned, ...notApplied].some(isDefined))
    issues.push({ path, error: 'expected refused alone or with balance, available, pending, held' })
  else issueIfEmpty(expected, expectedFields, path, issues)
  return expected
}

/** Reads the expected result of a redemption. Every issue is added to `issues`. */
export function readExpectedOfRedemption(raw: unknown, path: string, issues: Issue[]): Expected {
  const before = issues.length
  const read = readEvery(summaryFields, raw, path, issues)
  const nothing = { points: undefined, level: undefined, message: undefined }
  const expected = { ...nothing, ...summaryIn(read), earned: new Map(), notApplied: [] }
  if (issues.length === before) issueIfEmpty(expected, summaryFields, path, issues)
  return expected
}

function summaryIn(read: RecordOf<typeof summaryFields> | undefined): Pick<Expected, 'balance'> & Partial<Expected> {
  const { balance, available, pending, held, refused } = read ?? {}
  return {
    balance,
    ...(available === undefined ? {} : { available }),
    ...(pending === undefined ? {} : { pending }),
    ...(held === undefined ? {} : { held }),
    ...(refused === undefined ? {} : { refused }),
  }
}

function issueIfEmpty(
  { earned, notApplied, ...plain }: Expected,
  fields: Readonly<Record<string, { wire: string }>>,
  path: string,
  issues: Issue[],
): void {
  if (earned.size + notApplied.length > 0 || Object.values(plain).some(isDefined)) return
  const names = Object.values(fields).map(({ wire }) => wire)
  issues.push({ path, error: `expected at least one of ${names.join(', ')}` })
}

const isDefined = (value: unknown) => value !== undefined

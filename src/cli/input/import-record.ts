import { timestamp } from '../../engine/ingest/fields.ts'
import { InvalidValue } from '../../engine/ingest/record.ts'
import { shown } from '../../engine/ingest/shown.ts'
import type { RecordIssue } from './collect-field-issues.ts'
import type { SourceRow } from './formula.ts'

/** The fields that say whose a record is. */
export const CUSTOMERS = ['user_id', 'User_id']

/** A record to be sent to the service; one with issues is not sent. `line` is where it begins in the file. */
export type ImportRecord = Readonly<{
  line: number
  record: unknown
  issues: readonly RecordIssue[]
  leftOut?: readonly RecordIssue[]
  /** Dates that were rewritten, as the file has them. */
  datesInFile?: Readonly<Record<string, string>>
}>

/** An issue of a record with the value that the file has; those of the file itself have it already. */
export function inWordsOfFile(issue: RecordIssue, { issues, datesInFile = {} }: ImportRecord): RecordIssue {
  const value = issues.includes(issue) ? undefined : datesInFile[issue.field ?? '']
  return value === undefined ? issue : { ...issue, error: issue.error.replace(/, got .*$/s, `, got ${shown(value)}`) }
}

/** Whether what a file has in the place of a record has fields at all. */
export function isRow(record: unknown): record is SourceRow {
  return typeof record === 'object' && record !== null && !Array.isArray(record)
}

/** The moment in a field, in UTC; undefined if there is none, or an invalid one, for which the record will be refused. */
export function findInstant(record: unknown, field: string): string | undefined {
  try {
    return timestamp.read(fieldOf(record, field))
  } catch (error) {
    if (error instanceof InvalidValue) return undefined
    throw error
  }
}

/** Whether a number of the wire is below 0. */
export function isBelowZero(number: unknown): boolean {
  return /^-/.test(String(number))
}

/** The value of a field; undefined if there is none. */
export function fieldOf(record: unknown, field: string): unknown {
  return isRow(record) ? record[field] : undefined
}

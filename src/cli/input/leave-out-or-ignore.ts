/*
 * What an import leaves out of records, and which records it ignores.
 *
 * Fields are left out if the file has no valid value for them, so that the rest of the record is accepted: a remark in the cell of a phone
 * number is no reason to lose the customer (docs/decisions/0123-import-formats.md). Records are ignored that are none for this
 * purpose, such as receipts of customers without a card: they are counted, and need no correction.
 */
import { lineFields } from '../../engine/ingest/order.ts'
import type { RecordFields } from '../../engine/ingest/record.ts'
import { OperatorError } from '../../errors.ts'
import { collectFieldIssues, type RecordIssue } from './collect-field-issues.ts'
import { isBlank } from './formula.ts'

/** A record of the wire as far as it could be converted, and the issues; a faulty field keeps its value from the file. */
export type Mapped = Readonly<{
  record: Readonly<Record<string, unknown>>
  issues: readonly RecordIssue[]
  /** Fields that were left out of the record, and why. */
  leftOut?: readonly RecordIssue[]
  /** Dates that were rewritten, as the file has them. */
  datesInFile?: Readonly<Record<string, string>>
}>

/** The fields to leave out, by the wire's names; `key` is the one that no record can do without. Errors: OperatorError. */
export function readLeaveOut(texts: readonly string[], fields: RecordFields, key: string): ReadonlySet<string> {
  const fieldNames = Object.values(fields)
    .map(({ wire }) => wire)
    .filter((wire) => wire !== key)
  return readFieldList('--leave-out', texts, fieldNames)
}

/** A record without the fields that may be left out and have no valid value. */
export function leaveOutIssues(leaveOut: ReadonlySet<string>, fields: RecordFields, mapped: Mapped): Mapped {
  if (leaveOut.size === 0) return mapped
  const { record, issues } = mapped
  const isLeft = (wire = '') => leaveOut.has(wire) && wire in record
  const judged = Object.fromEntries(
    Object.entries(fields).filter(([, { wire }]) => wire !== 'products' && isLeft(wire)),
  )
  const leftOut = collectFieldIssues(
    judged,
    record,
    issues.filter(({ field }) => isLeft(field)),
  )
  if (leftOut.length === 0) return mapped
  const gone = new Set(leftOut.map(({ field }) => field))
  return {
    ...mapped,
    record: Object.fromEntries(Object.entries(record).filter(([wire]) => !gone.has(wire))),
    issues: issues.filter(({ field }) => !gone.has(field)),
    leftOut,
  }
}

/** A line of an order; an invalid one is left out entirely. */
export function leaveOutLine({ record, issues }: Mapped): Mapped {
  const withIssues = new Set(issues.map(({ field }) => field))
  const others = collectFieldIssues(lineFields, record, [])
    .map(({ field, error }) => ({ field: `products.${field}`, error }))
    .filter(({ field }) => !withIssues.has(field))
  return { record, issues: [], leftOut: [...issues, ...others] }
}

/** Returns whether a record, with its wire's names, has no value in one of the fields that --ignore-without names. Errors: OperatorError. */
export function createIgnoring(texts: readonly string[], fields: RecordFields): (record: unknown) => boolean {
  const fieldNames = Object.values(fields).map(({ wire }) => wire)
  const named = [...readFieldList('--ignore-without', texts, fieldNames)]
  return (record) => named.some((wire) => isBlank((record as Readonly<Record<string, unknown>> | null)?.[wire]))
}

/** The fields that an option names, by the wire's names: lists with commas, of which there may be several. Errors: OperatorError. */
function readFieldList(option: string, texts: readonly string[], fieldNames: readonly string[]): ReadonlySet<string> {
  const requested = texts.flatMap((text) => text.split(',')).map((wire) => wire.trim())
  const unknown = requested.find((wire) => !fieldNames.includes(wire))
  if (unknown !== undefined)
    throw new OperatorError(`${option} ${unknown}: expected comma-separated fields among ${fieldNames.join(', ')}`)
  return new Set(requested)
}

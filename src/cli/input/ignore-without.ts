/*
 * Ignores records that are none for this purpose, such as receipts of customers without a card: they are counted, and need no correction.
 */
import type { RecordFields } from '../../ingest/record.ts'
import { readFieldList } from './field-list.ts'

/** Returns whether a record, with its wire's names, has no value in one of the fields that --ignore-without names. Errors: OperatorError. */
export function createIgnoring(texts: readonly string[], fields: RecordFields): (record: unknown) => boolean {
  const known = Object.values(fields).map(({ wire }) => wire)
  const named = [...readFieldList('--ignore-without', texts, known)]
  return (record) => named.some((wire) => isEmpty((record as Readonly<Record<string, unknown>> | null)?.[wire]))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

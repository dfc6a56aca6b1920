/*
 * Ignores records that are none for this purpose, such as receipts of customers without a card: they are counted, and need no correction.
 */
import type { RecordFields } from '../../engine/ingest/record.ts'
import { readFieldList } from './field-list.ts'
import { isBlank } from './formula.ts'

/** Returns whether a record, with its wire's names, has no value in one of the fields that --ignore-without names. Errors: OperatorError. */
export function createIgnoring(texts: readonly string[], fields: RecordFields): (record: unknown) => boolean {
  const known = Object.values(fields).map(({ wire }) => wire)
  const named = [...readFieldList('--ignore-without', texts, known)]
  return (record) => named.some((wire) => isBlank((record as Readonly<Record<string, unknown>> | null)?.[wire]))
}

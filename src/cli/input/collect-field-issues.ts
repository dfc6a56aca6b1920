import { collectIssue } from '../../engine/ingest/cases/collect-issues.ts'
import { lineFields } from '../../engine/ingest/order.ts'
import { type RecordFields, readRecord } from '../../engine/ingest/record.ts'
import type { FileFault } from '../../engine/ingest/yaml-text.ts'

/** A fault of a record: the field by its name on the wire, and what is wrong. */
export type RecordFault = Readonly<{ field?: string | undefined; error: string }>

/** The known faults of a record, and those of its other fields: a service names only the first. */
export function collectFieldIssues(
  fields: RecordFields,
  record: unknown,
  known: readonly RecordFault[],
): readonly RecordFault[] {
  // A value that is not a record, or was cut wrongly, has no other faults worth reporting.
  if (!isObject(record) || known.some(({ field = '' }) => field === '')) return known
  const faults: FileFault[] = []
  for (const [name, field] of Object.entries(fields)) {
    if (field.wire === 'products' && Array.isArray(record.products))
      for (const [place, line] of record.products.entries()) readEach(lineFields, line, `products[${place}]`, faults)
    else collectIssue(field.wire, faults, () => readRecord({ [name]: field }, record, ''))
  }
  const named = new Set(known.map(({ field }) => field))
  return [...known, ...faults.filter(({ path }) => !named.has(path)).map(({ path, error }) => ({ field: path, error }))]
}

function readEach(fields: RecordFields, value: unknown, path: string, faults: FileFault[]): void {
  for (const [name, field] of Object.entries(fields))
    collectIssue(path, faults, () => readRecord({ [name]: field }, value, path))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

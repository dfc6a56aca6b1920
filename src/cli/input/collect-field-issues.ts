import { collectIssue } from '../../engine/ingest/cases/collect-issues.ts'
import { lineFields } from '../../engine/ingest/order.ts'
import { type RecordFields, readRecord } from '../../engine/ingest/record.ts'
import type { FileIssue } from '../../engine/ingest/yaml-text.ts'

/** An issue of a record: the field by its name on the wire, and what is wrong. */
export type RecordIssue = Readonly<{ field?: string | undefined; error: string }>

/** The known issues of a record, and those of its other fields: a service names only the first. */
export function collectFieldIssues(
  fields: RecordFields,
  record: unknown,
  reported: readonly RecordIssue[],
): readonly RecordIssue[] {
  // A value that is not a record, or was cut wrongly, has no other issues worth reporting.
  if (!isObject(record) || reported.some(({ field = '' }) => field === '')) return reported
  const issues: FileIssue[] = []
  for (const [name, field] of Object.entries(fields)) {
    if (field.wire === 'products' && Array.isArray(record.products))
      for (const [place, line] of record.products.entries()) readEach(lineFields, line, `products[${place}]`, issues)
    else collectIssue(field.wire, issues, () => readRecord({ [name]: field }, record, ''))
  }
  const named = new Set(reported.map(({ field }) => field))
  return [
    ...reported,
    ...issues.filter(({ path }) => !named.has(path)).map(({ path, error }) => ({ field: path, error })),
  ]
}

function readEach(fields: RecordFields, value: unknown, path: string, issues: FileIssue[]): void {
  for (const [name, field] of Object.entries(fields))
    collectIssue(path, issues, () => readRecord({ [name]: field }, value, path))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

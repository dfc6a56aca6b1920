import type { RejectedRecord, RejectionReason } from '../../engine/ingest/batch.ts'

const LENGTH_MAX = 100

/** The field and kind of a refusal, without any of the values sent: `DOB` and `a date that exists, DD-MM-YYYY`. */
export function refusalKind(record: Pick<RejectedRecord, 'path'> & RejectionReason): { field: string; kind: string } {
  // Unknown fields are not read, so this name is one of ours.
  const field = record.path.replace(/^data\[\d+\]\.?/, '').replaceAll(/\[\d+\]/g, '')
  return { field: field.slice(0, LENGTH_MAX), kind: (record.verdict ?? record.kind).slice(0, LENGTH_MAX) }
}

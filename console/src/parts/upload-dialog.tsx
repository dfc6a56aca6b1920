import { type ChangeEvent, useState } from 'react'
import type { Answer } from '../../../src/server/answers.ts'
import { useInvalidate } from '../answers.ts'
import { ask } from '../api.ts'
import { grouped } from '../exact.ts'
import { type FileRecord, newestLast, oldestFirst, readRecords } from '../records-of-file.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'
import { type Column, Table } from './table.tsx'

/** That of orders, which may say more than the others. */
type Summary = Answer<'POST /api/integration/orders'>
/** A record that is not written, and why. */
type Skipped = Readonly<{ line: number; key: string | undefined; why: string }>
/** The sequence in which the records of a file are sent. */
const IN_SEQUENCE = { orders: oldestFirst, players: newestLast, products: (records: readonly FileRecord[]) => records }
/** Requests are limited in size, and so is what a browser should hold. */
const BYTES_MAX = 20 * 1024 * 1024

/** Uploads the records of a file: first a dry run, then the same for real. Faults are listed with their lines. */
export function UploadDialog({
  noun,
  onClose,
}: Readonly<{ noun: 'players' | 'products' | 'orders'; onClose: () => void }>) {
  const invalidate = useInvalidate()
  const [records, setRecords] = useState<readonly FileRecord[]>()
  const [faulty, setFaulty] = useState<readonly FileRecord[]>([])
  const [summary, setSummary] = useState<Summary & { isWritten: boolean }>()
  const [failure, setFailure] = useState<Error>()
  const [busy, setBusy] = useState(false)

  const upload = async (read: readonly FileRecord[], isDry: boolean) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const answer = await ask(`POST /api/integration/${noun}`, {
        query: { details: 'true', dry_run: String(isDry), ...(noun === 'players' ? { keep_filled: 'true' } : {}) },
        data: read.map(({ record }) => record),
      })
      setSummary({ ...answer, isWritten: !isDry })
      if (!isDry)
        await invalidate(
          'GET /api/admin/feeds',
          'GET /api/admin/feeds/:noun/refusals',
          `GET /api/admin/${noun}`,
          'GET /api/admin/statistics/unknown-products',
        )
    } catch (error) {
      setFailure(error as Error)
    } finally {
      setBusy(false)
    }
  }
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? []
    setSummary(undefined)
    setRecords(undefined)
    setFailure(undefined)
    if (file === undefined) return
    try {
      if (file.size > BYTES_MAX) throw new Error('This file is too large for a browser: use npx --no laurel import')
      const found = readRecords(decoded(await file.arrayBuffer()))
      const read = IN_SEQUENCE[noun](found)
      const good = read.filter(({ fault }) => fault === undefined)
      setRecords(good)
      setFaulty(read.filter(({ fault }) => fault !== undefined))
      await upload(good, true)
    } catch (error) {
      setFailure(error as Error)
    }
  }
  const skipped: Skipped[] = [
    ...faulty.map(({ line, fault = '' }) => ({ line, key: undefined, why: fault })),
    ...(summary?.results ?? []).map(({ position, key, verdict, error, path }) => ({
      line: records?.[position]?.line ?? position + 1,
      key,
      why: error ?? `${verdict} ${path ?? ''}`,
    })),
  ]
  // What the dry run found to be skipped is sent again, and skipped again.
  const writable = summary && summary.inserted + summary.updated
  const columns: Column<Skipped>[] = [
    { name: 'Line', text: ({ line }) => line, kind: 'number' },
    { name: 'Record', text: ({ key }) => key ?? '', kind: 'wrap' },
    { name: 'Why', text: ({ why }) => why, kind: 'wrap' },
  ]
  return (
    <Dialog title={`Upload ${noun}`} onClose={onClose}>
      <label className="field">
        <span>File</span>
        <input type="file" accept=".csv,.json,.ndjson,.txt" onChange={choose} />
        <span className="hint">
          CSV with the API's field names in its first line, a JSON list, or a line of JSON for each record. For files
          exported from a shop, use <code>npx --no laurel import</code>.
        </span>
      </label>
      <Failure error={failure} />
      {summary !== undefined && (
        <>
          <p role="status">
            {summary.isWritten ? 'Written: ' : 'Dry run, nothing is written yet: '}
            <strong>{grouped(summary.inserted)}</strong> new, <strong>{grouped(summary.updated)}</strong> known,{' '}
            <strong>{grouped(summary.skipped + faulty.length)}</strong> skipped.
          </p>
          {(summary.out_of_order ?? 0) > 0 && (
            <p>
              <span className="badge warn">Out of order</span> {grouped(summary.out_of_order!)} of these orders are
              older than one that is recorded for the same player, and the program looks at history: what they and later
              ones earn depends on which came first.
            </p>
          )}
          {(summary.used_again ?? 0) > 0 && (
            <p>
              <span className="badge warn">Used again</span> {grouped(summary.used_again!)} of these orders have ids
              under which orders more than 180 days away are recorded, with other amounts or lines, which they
              overwrite. Numbers that start again need the day in the id.
            </p>
          )}
          {skipped.length > 0 && (
            <Table name="Skipped" columns={columns} rows={skipped.slice(0, 50)} keyOf={({ line }) => String(line)} />
          )}
        </>
      )}
      <footer>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
        <Button
          className="button primary"
          disabled={busy || !writable || summary!.isWritten}
          onClick={() => records !== undefined && upload(records, false)}
        >
          Write {writable === undefined ? '' : grouped(writable)} {writable === 1 ? 'record' : 'records'}
        </Button>
      </footer>
    </Dialog>
  )
}

/** A file in another encoding would be stored with replacement characters. */
function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error(
      'the file is not in UTF-8: save it as CSV UTF-8, or upload it with npx --no laurel import --encoding windows-1252',
    )
  }
}

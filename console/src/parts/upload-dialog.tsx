import { type ChangeEvent, useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask, Refused } from '../api.ts'
import { grouped } from '../exact.ts'
import type { findingsIn, ReadFile, UploadRecordType } from '../records-of-file.ts'
import { useInvalidate } from '../responses.ts'
import { useZone } from '../zone.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { asSentence, Failure } from './states.tsx'
import { type Column, Table } from './table.tsx'

/** That of orders, which may say more than the others. */
type Summary = RouteResponse<'POST /api/integration/orders'>
/** A record that is not written, and why. */
type Skipped = Readonly<{ line: number; key: string | undefined; why: string }>
/** What reads files is large, and needed only once one is chosen. */
const loadReader = () => import('../records-of-file.ts')
/** Requests are limited in size, and so is what a browser should hold. */
const BYTES_MAX = 20 * 1024 * 1024

/** Uploads the records of a file: first a dry run, then the same for real. Issues are listed with their lines. */
export function UploadDialog({ recordType, onClose }: Readonly<{ recordType: UploadRecordType; onClose: () => void }>) {
  const invalidate = useInvalidate()
  const zone = useZone()
  const [read, setRead] = useState<ReadFile>()
  const [findings, setFindings] = useState<ReturnType<typeof findingsIn>>({})
  const [isSame, setSame] = useState(false)
  const [summary, setSummary] = useState<Summary & { isImported: boolean }>()
  const [failure, setFailure] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const { sent, faulty } = Object.groupBy(read?.records ?? [], ({ issues }) =>
    issues.length === 0 ? 'sent' : 'faulty',
  )

  const upload = async (records: ReadFile['records'], isDry: boolean) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const { dataOf, findingsIn } = await loadReader()
      const response = await ask(`POST /api/integration/${recordType}`, {
        query: {
          details: 'true',
          dry_run: String(isDry),
          ...(recordType === 'players' ? { keep_filled: 'true' } : {}),
        },
        data: dataOf(records),
      })
      // Once they are written, they are what is recorded.
      if (isDry) setFindings(findingsIn(response, records, zone))
      setSummary({ ...response, isImported: !isDry })
      if (!isDry)
        await invalidate(
          'GET /api/admin/sources',
          'GET /api/admin/sources/:record_type/refusals',
          `GET /api/admin/${recordType}`,
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
    setRead(undefined)
    setFindings({})
    setSame(false)
    setFailure(undefined)
    if (file === undefined) return
    try {
      if (file.size > BYTES_MAX) throw new Error('the file is larger than 20 MiB: use npx --no laurel import')
      const { readFile } = await loadReader()
      const parsed = await readFile(recordType, file, recordType === 'players' ? await shopSettings() : [])
      setRead(parsed)
      await upload(
        parsed.records.filter(({ issues }) => issues.length === 0),
        true,
      )
    } catch (error) {
      setFailure(error as Error)
    }
  }
  const skipped: Skipped[] = [
    ...(faulty ?? []).map(({ line, issues }) => ({
      ...{ line, key: undefined },
      why: issues.map(({ field, error }) => (field === undefined ? error : `${field}: ${error}`)).join('; '),
    })),
    ...(summary?.results ?? []).map(({ position, key, verdict, error, path }) => ({
      line: sent?.[position]?.line ?? position + 1,
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
    <Dialog title={`Upload ${recordType}`} onClose={onClose}>
      <label className="field">
        <span>File</span>
        <input type="file" accept=".csv,.tsv,.json,.ndjson,.jsonl,.txt" onChange={choose} />
        <span className="hint">
          CSV with the API's field names in its first line, a JSON array, or NDJSON. For files exported from a shop, use{' '}
          <code>npx --no laurel import</code>.
        </span>
      </label>
      <Failure error={failure} />
      {summary !== undefined && (
        <>
          <p role="status">
            {summary.isImported ? 'Imported: ' : 'Dry run, nothing is imported yet: '}
            <strong>{grouped(summary.inserted)}</strong> new, <strong>{grouped(summary.updated)}</strong> known,{' '}
            <strong>{grouped(summary.skipped + (faulty ?? []).length)}</strong> skipped.
          </p>
          {read?.notes.map((note) => (
            <p key={note} className="quiet">
              {asSentence(note)}
            </p>
          ))}
          {findings.outOfOrder !== undefined && (
            <p>
              <span className="badge warn">Out of order</span> {asSentence(findings.outOfOrder)}
            </p>
          )}
          {findings.idsOfOthers !== undefined && (
            <>
              <p>
                <span className="badge warn">Used again</span> {asSentence(findings.idsOfOthers)} Numbers that restart
                need the date in the ID. Orders recorded for another player are skipped; the others would be
                overwritten.
              </p>
              {!summary.isImported && (
                <label className="check">
                  <input type="checkbox" checked={isSame} onChange={({ target }) => setSame(target.checked)} />
                  they are the same orders
                </label>
              )}
            </>
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
          disabled={busy || !writable || summary!.isImported || (findings.idsOfOthers !== undefined && !isSame)}
          onClick={() => upload(sent ?? [], false)}
        >
          Import {writable === undefined ? '' : grouped(writable)} {writable === 1 ? 'record' : 'records'}
        </Button>
      </footer>
    </Dialog>
  )
}

/** None if the token may not read them: then they are taken for the defaults, which most shops have. */
async function shopSettings() {
  try {
    return (await ask('GET /api/admin/settings')).settings
  } catch (error) {
    if (error instanceof Refused && !error.isSignedOut) return []
    throw error
  }
}

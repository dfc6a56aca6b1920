/*
 * Bulk upserts over HTTP, and COPY of the same rows into a table of the floor's own by the database itself.
 */
import assert from 'node:assert/strict'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { FLOOR_TABLES } from './floor-tables.ts'
import { type Rate, sendAll, type Target } from './http.ts'
import type { Round } from './round.ts'
import { bodiesOf } from './samples.ts'
import { type Data, EMPTY, newFile, onCopy } from './testbed.ts'
import { watchThreads } from './threads.ts'

export const REQUEST_RECORDS = 5_000
export const BULK_CONNECTIONS = 2

type Verdict = 'inserted' | 'updated' | 'skipped'

/** Sends records in bulk on two connections. Every record must get the given verdict. */
export async function upsertRate(
  service: Target,
  path: string,
  { bodies, verdict }: Readonly<{ bodies: readonly Buffer[]; verdict: Verdict }>,
): Promise<Rate> {
  let seconds = 0
  const { count, threads } = await watchThreads(service.pid, async () => {
    const sent = await sendAll(service, path, { bodies, connections: BULK_CONNECTIONS })
    seconds = sent.seconds
    const sum = (count: Verdict) =>
      sent.responses.reduce<number>((total, response) => total + (response as Record<Verdict, number>)[count], 0)
    const records = sum(verdict)
    assert.equal(sum('inserted') + sum('updated') + sum('skipped'), records, `not all records were ${verdict}`)
    return records
  })
  return { perSecond: count / seconds, threads }
}

/** Warms the service up with records that no measurement sends. */
export async function warmUp(target: Target, path: string, record: (index: number) => object): Promise<void> {
  const bodies = bodiesOf(record, { ...OTHERS, each: REQUEST_RECORDS })
  await sendAll(target, path, { bodies, connections: BULK_CONNECTIONS })
}

const OTHERS = { records: 50_000, from: 90_000_000 }

/** Creates a measurement of COPY into a table of the floor's own, warmed up in the same way. */
export async function copyInto(
  { testbed, database, records }: Round,
  table: 'players' | 'products',
  { row, times = 1 }: Readonly<{ row: (index: number) => string; times?: number }>,
): Promise<() => Promise<Rate>> {
  const count = records * times
  const texts = [textOf(row, OTHERS), textOf(row, { records: count, from: 0 })]
  const copy = database === 'postgres' ? copyOnServer(table, texts.map(newFile)) : copyEmbedded(table, texts)
  const empty = await testbed.filled(database, EMPTY)
  return () => onCopy(testbed, empty, async (data) => ({ perSecond: count / (await copy(data)), threads: undefined }))
}

function textOf(
  row: (index: number) => string,
  { records, from }: Readonly<{ records: number; from: number }>,
): string {
  return `${Array.from({ length: records }, (_, index) => row(from + index)).join('\n')}\n`
}

/** Returns the seconds that the last file took. */
function copyOnServer(table: string, files: readonly string[]) {
  return async ({ databaseUrl }: Data): Promise<number> => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    try {
      await client.query(FLOOR_TABLES)
      let seconds = 0
      for (const file of files) seconds = await secondsOf(() => client.query(`copy own.${table} from '${file}'`))
      return seconds
    } finally {
      await client.end()
    }
  }
}

/** The same with PGlite as published: in this thread, without fsync. */
function copyEmbedded(table: string, texts: readonly string[]) {
  return async ({ directory }: Data): Promise<number> => {
    const database = await PGlite.create(`${directory}/pglite`)
    try {
      await database.exec(FLOOR_TABLES)
      let seconds = 0
      for (const text of texts) {
        const blob = new Blob([text])
        seconds = await secondsOf(() => database.query(`copy own.${table} from '/dev/blob'`, [], { blob }))
      }
      return seconds
    } finally {
      await database.close()
    }
  }
}

async function secondsOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return (performance.now() - startedAt) / 1_000
}

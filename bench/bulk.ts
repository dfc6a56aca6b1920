/*
 * Bulk records a second over HTTP: new players and the same again unchanged, beside a server-side COPY of the same rows into the same keyed table.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import {
  aFigure,
  alternate,
  aPlayer,
  type Database,
  type Figure,
  median,
  post,
  type RunningService,
  startService,
} from './support.ts'

const REQUEST_RECORDS = 5_000
const CONNECTIONS = 2

const TABLE = `create table players (user_id text collate "C" primary key, name text not null, email text not null, phone text not null,
  address text not null, date_of_birth date not null, gender text not null, refer_code text not null, state text not null,
  district text not null, referred_by text not null, pincode text not null, country text not null,
  row_hash bytea not null, rev bigint not null, created_at timestamptz not null, updated_at timestamptz not null)`

export async function measureBulk(
  database: Database,
  newDatabase: () => Promise<string>,
  { records, runs }: { records: number; runs: number },
): Promise<Figure[]> {
  const players = Array.from({ length: records }, (_, index) => aPlayer(index))
  const bodies = Array.from({ length: Math.ceil(records / REQUEST_RECORDS) }, (_, index) =>
    JSON.stringify({ data: players.slice(index * REQUEST_RECORDS, (index + 1) * REQUEST_RECORDS) }),
  )
  const rows = players.map((player) => rowOf(player)).join('')
  const floor =
    database === 'postgres' ? () => copyOnServer(newDatabase, rows, records) : () => copyEmbedded(rows, records)
  const unchanged: number[] = []
  const { floor: copied, ours } = await alternate(runs, floor, async () => {
    const service = await startService(database === 'postgres' ? await newDatabase() : undefined)
    try {
      const rate = await sendAll(service, bodies, records)
      unchanged.push(await sendAll(service, bodies, records))
      return rate
    } finally {
      await service.stop()
    }
  })
  const note = `${records} records in requests of ${REQUEST_RECORDS}, ${CONNECTIONS} connections; floor: COPY of the same rows`
  return [
    aFigure({ figure: 'bulk upsert of new players', database, unit: 'records/s', floor: copied, ours, note }),
    aFigure({
      figure: 'the same, re-sent unchanged',
      database,
      unit: 'records/s',
      floor: copied,
      ours: median(unchanged),
      note,
    }),
  ]
}

async function sendAll(service: RunningService, bodies: readonly string[], records: number): Promise<number> {
  const left = [...bodies]
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = left.pop(); body !== undefined; body = left.pop())
        await post(service, '/api/integration/players', body)
    }),
  )
  return records / ((performance.now() - startedAt) / 1_000)
}

async function copyOnServer(newDatabase: () => Promise<string>, rows: string, records: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-copy-'))
  const client = new pg.Client(await newDatabase())
  await client.connect()
  try {
    // The server reads the file as its own user.
    chmodSync(directory, 0o755)
    const file = join(directory, 'players.tsv')
    writeFileSync(file, rows, { mode: 0o644 })
    await client.query(TABLE)
    const startedAt = performance.now()
    await client.query(`copy players from '${file}'`)
    return records / ((performance.now() - startedAt) / 1_000)
  } finally {
    await client.end()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function copyEmbedded(rows: string, records: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-copy-'))
  const database = await PGlite.create(directory)
  try {
    await database.exec(TABLE)
    const startedAt = performance.now()
    await database.query("copy players from '/dev/blob'", [], { blob: new Blob([rows]) })
    return records / ((performance.now() - startedAt) / 1_000)
  } finally {
    await database.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

function rowOf(player: ReturnType<typeof aPlayer>): string {
  const [day, month, year] = player.DOB.split('-')
  const { User_id, Name, Email, Phone, Add, Gender, Refercode, State, District, RefBy, Pincode, Country } = player
  const values = [
    User_id,
    Name,
    Email,
    Phone,
    Add,
    `${year}-${month}-${day}`,
    Gender,
    Refercode,
    State,
    District,
    RefBy,
    Pincode,
    Country,
  ]
  return `${[...values, `\\\\x${'0'.repeat(32)}`, 1, '2026-01-01', '2026-01-01'].join('\t')}\n`
}

/*
 * Flipped bits in the files of the embedded database: it opens with everything that was written, or reports the damage (decision 115).
 */
import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { openPglite, type PgliteDriver } from '../../src/database/embedded/driver.ts'
import { DamagedData } from '../../src/errors.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'

const SEGMENT_BYTES = 16 * 2 ** 20
const ROWS = 20

const notedPositionIn = (directory: string) =>
  Number(readFileSync(join(directory, 'log-position'), 'latin1').split(' ')[0])

async function run(driver: PgliteDriver, sql: string): Promise<Record<string, unknown>[]> {
  const session = await driver.session(performance.now() + 60_000)
  try {
    return await session.query(sql)
  } finally {
    session.release(false)
  }
}

let killed: string
before(async () => {
  killed = await killedDirectory()
})

/** The files of a database as a kill leaves them, with the log position noted after the last write. */
async function killedDirectory(): Promise<string> {
  const directory = join(
    temporaryDirectory({ after: (remove) => void process.once('exit', remove as () => void) }),
    'open',
  )
  cpSync((await embeddedTemplate()).directory, directory, { recursive: true })
  // No maintenance: a checkpoint would leave nothing in the log to damage.
  const driver = await openPglite(directory, { onFatal: assert.fail, maintenanceIdleMs: 600_000 })
  await run(driver, 'create table written (n bigint)')
  for (let n = 1; n <= ROWS; n += 1) await run(driver, `insert into written values (${n})`)
  const [row] = await run(driver, "select (pg_current_wal_flush_lsn() - '0/0')::int as position")
  await eventually(
    'what was written is noted',
    () => existsSync(join(directory, 'log-position')) && notedPositionIn(directory) >= Number(row!.position),
  )
  const copy = `${directory}-killed`
  cpSync(directory, copy, { recursive: true })
  await driver.close()
  return copy
}

function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at]! ^= 4
  writeFileSync(path, bytes)
}

/** The position from which the log of a directory is read after a kill. */
const redoPositionIn = (directory: string) =>
  Number(readFileSync(join(directory, 'pglite/global/pg_control')).readBigUInt64LE(40))

function flipInLog(directory: string, position: number): void {
  const segment = Math.floor(position / SEGMENT_BYTES)
  const name = `00000001${segment.toString(16).toUpperCase().padStart(16, '0')}`
  flipBit(join(directory, 'pglite/pg_wal', name), position % SEGMENT_BYTES)
}

/** The number of rows in a directory; 'damaged' if opening it reports damage. */
async function rowsIn(directory: string): Promise<unknown> {
  let driver: PgliteDriver
  try {
    driver = await openPglite(directory, { onFatal: assert.fail })
  } catch (error) {
    assert(error instanceof DamagedData, String(error))
    assert.match(
      error.message,
      /^the database in \S+ is damaged or has failed \(.+\)\. Nothing more was written\. Before/,
    )
    assert.doesNotMatch(error.message, /\n/)
    return 'damaged'
  }
  try {
    const [row] = await run(driver, 'select count(*)::int as n from written')
    return row!.n
  } finally {
    await driver.close()
  }
}

test('a bit flipped in the log or in a file of the database is detected at every opening, and nothing noted is missing', async () => {
  const [redo, noted] = [redoPositionIn(killed), notedPositionIn(killed)]
  const inLog = (position: number) => (directory: string) => flipInLog(directory, position)
  const inFile = (name: string, at: number) => (directory: string) => flipBit(join(directory, 'pglite', name), at)
  const damages: Readonly<Record<string, (directory: string) => void>> = {
    'the checkpoint': inLog(redo + 4),
    'the first record after it': inLog(redo + 120 + 4),
    'the middle of the log': inLog(Math.floor((redo + noted) / 2)),
    'the last record': inLog(noted - 10),
    pg_control: inFile('global/pg_control', 40),
    'a catalogue': inFile('global/1262', 100),
    'the note itself': (directory) => flipBit(join(directory, 'log-position'), 0),
    'all files are gone': (directory) => rmSync(join(directory, 'pglite'), { recursive: true }),
  }
  for (const [where, damage] of Object.entries(damages)) {
    const directory = `${killed}-${where.replaceAll(' ', '-')}`
    cpSync(killed, directory, { recursive: true })
    damage(directory)
    const isThere = existsSync(join(directory, 'pglite'))
    for (const opening of [1, 2]) assert.equal(await rowsIn(directory), 'damaged', `${where}, opening ${opening}`)
    assert.equal(existsSync(join(directory, 'pglite')), isThere, `${where}: no new database is made`)
    rmSync(directory, { recursive: true })
  }
})

test('without the note a database with a truncated log opens with what is left, so an operator can choose to', async () => {
  const directory = `${killed}-shortened`
  cpSync(killed, directory, { recursive: true })
  flipInLog(directory, notedPositionIn(directory) - 10)
  assert.equal(await rowsIn(directory), 'damaged')
  rmSync(join(directory, 'log-position'))
  for (const opening of [1, 2]) assert.equal(await rowsIn(directory), ROWS - 1, `opening ${opening}`)
})

test('after a kill without damage everything written is there, and no opening is refused', async () => {
  for (const opening of [1, 2]) assert.equal(await rowsIn(killed), ROWS, `opening ${opening}`)
})

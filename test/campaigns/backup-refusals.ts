/*
 * What cannot be backed up, restored or moved is refused with one sentence, and nothing is half done: a full disk, a damaged or newer file, a database
 * that is not empty, a running service; and a move while clients record.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import pg from 'pg'
import { seal } from '../../src/database/backup/sealed.ts'
import { type Environment, launch, runProcess, startService, tokenIn } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { assertOrders, recordOrders } from './backup-load.ts'
import {
  assertOneSentence,
  contentOfFile,
  contentOfPlace,
  openShop,
  type Place,
  type Places,
  type Shop,
  succeed,
} from './backup-places.ts'

const FULL_DISK = new URL('../support/full-disk.ts', import.meta.url).href
const IS_FULL =
  /^laurel: (?:\S+: the disk is full|the database cannot write to its disk( \(.*\))?|cannot open the database in \S+: the disk is full: free some space)\n$/

/** Gives a line for each kind of refusal. */
export async function* tryRefusals(places: Places, shop: Shop, clients: number): AsyncGenerator<string> {
  const embedded = await places.open('embedded')
  const service = await openShop(embedded, shop)
  assert.equal(
    (
      await service.upsert(
        'orders',
        shop.states.map(({ order }) => order),
      )
    ).status,
    200,
  )
  yield `a move from a running service: ${await refused(['move', '--to', places.newPath('busy')], embedded.env, /^laurel: a service \(process \d+\) holds \S+: stop it first\n$/)}`
  await service.stop()
  const file = places.newPath('whole.zst')
  await succeed(['backup', file], embedded.env)
  yield `a full disk: ${await fillDisks(places, embedded, file)}`
  yield `bad files: ${await restoreBadFiles(places, embedded, file)}`
  yield `a move while ${clients} clients record: ${await moveUnderLoad(places, shop, clients)}`
}

async function refused(args: readonly string[], env: Environment, expected: RegExp): Promise<string> {
  const ended = await runProcess(args, { env })
  assertOneSentence(ended, expected)
  return ended.stderr.trim()
}

/** The disk of the backup is full, then that of the restored database; with room, the same commands succeed. */
async function fillDisks(places: Places, source: Place, file: string): Promise<string> {
  const flag = places.newPath('full')
  const onFullDisk = ({ env }: Place) => ({ ...env, FULL_DISK: flag, NODE_OPTIONS: `--import=${FULL_DISK}` })
  const path = places.newPath('full.zst')
  const server = await places.open('postgres')
  await succeed(['move', '--to', server.databaseUrl!], source.env)
  const target = await places.open('embedded')
  const sentences: string[] = []
  const content = await contentOfFile(file)
  for (const [args, place] of [
    [['backup', path], server],
    [['restore', file], target],
  ] as const) {
    const command = launch(args, { env: onFullDisk(place) })
    // A restore begins with space: its directory is there when the disk becomes full.
    if (args[0] === 'restore') await eventually('it has begun', () => existsSync(join(target.data, 'pglite')))
    writeFileSync(flag, '')
    const ended = await command.ended
    assertOneSentence(ended, IS_FULL)
    sentences.push(ended.stderr.trim())
    rmSync(flag)
  }
  assert(!existsSync(path) && !existsSync(`${path}.unfinished`), 'no part of a file is left')
  await succeed(['restore', file], target.env)
  assert.deepEqual(await contentOfPlace(target), content)
  const service = await startService({ data: source.data, env: onFullDisk(source) })
  writeFileSync(flag, '')
  sentences.push(await refused(['backup', path], source.env, IS_FULL))
  rmSync(flag)
  await succeed(['backup', path], source.env)
  await service.stop()
  return sentences.join(' | ')
}

/** Files that are damaged or newer leave a database empty; a database that is not empty stays as it was. */
async function restoreBadFiles(places: Places, source: Place, file: string): Promise<string> {
  const bytes = readFileSync(file)
  const changed = Buffer.from(bytes)
  changed[Math.floor(bytes.length / 2)]! ^= 1
  const text = (await promisify(zstdDecompress)(bytes)).toString()
  const newer = text.replace(/"schemaVersion":\d+/, '"schemaVersion":999')
  const content = await contentOfFile(file)
  const damaged = /^laurel: the backup is damaged: it is not complete, or a part of it was changed\n$/
  for (const database of ['embedded', 'postgres'] as const) {
    const target = await places.open(database)
    const path = places.newPath('bad.zst')
    for (const [bad, expected] of [
      [bytes.subarray(0, bytes.length / 2), damaged],
      [changed, damaged],
      [
        Buffer.concat(await Array.fromAsync(seal(Readable.from([newer])))),
        /^laurel: the backup has schema version 999, /,
      ],
    ] as const) {
      writeFileSync(path, bad)
      await refused(['restore', path], target.env, expected)
    }
    await succeed(['restore', file], target.env)
    assert.deepEqual(await contentOfPlace(target), content)
    await refused(['restore', file], target.env, /^laurel: the database is not empty \(it has /)
    await refused(
      ['move', '--to', target.databaseUrl ?? target.data],
      source.env,
      /^laurel: the database is not empty \(it has /,
    )
    assert.deepEqual(await contentOfPlace(target), content)
  }
  return 'half a file, a changed byte, a newer schema and a database that is not empty were refused on both databases, which were restored then'
}

/** Everything acknowledged while the tables were locked, or before, is there; requests meanwhile wait, or get 503. */
async function moveUnderLoad(places: Places, shop: Shop, clients: number): Promise<string> {
  const [place, target] = [await places.open('postgres'), await places.open('postgres')]
  const service = await openShop(place, shop)
  const recording = recordOrders(service, shop, clients)
  await eventually('orders are acknowledged', () => recording.count() >= clients)
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  const command = launch(['move', '--to', target.databaseUrl!], { env: place.env })
  let isOver = false
  const ended = command.ended.finally(() => {
    isOver = true
  })
  let before: ReadonlyMap<string, number> = new Map()
  while (!isOver) {
    const acknowledged = recording.acknowledged()
    const { rowCount } = await client.query(
      `select from pg_locks where relation = 'orders'::regclass and mode = 'ShareLock' and granted`,
    )
    if (rowCount !== 0) before = acknowledged
    await sleep(5)
  }
  const { code, stdout, stderr } = await ended
  assert.equal(code, 0, `${stdout}${stderr}`)
  await client.end()
  const moved = recording.count()
  await eventually('orders are acknowledged again', () => recording.count() > moved + clients)
  await recording.stop()
  await service.stop()
  const orders = await assertOrders(target, tokenIn(place.data), shop, before)
  return `${before.size} orders acknowledged before its end, ${orders} moved, none lost or half there; ${recording.refused()} requests were refused with 503 meanwhile`
}

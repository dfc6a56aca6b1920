/*
 * Commands that copy a database are killed at random moments: the source is as it was, the target is empty or whole, a file is absent or whole, and
 * the same command succeeds afterwards, whatever was left behind.
 */
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandProcess, type Ended, launch, startService } from '../support/service-process.ts'
import type { CampaignDatabase } from './arguments.ts'
import {
  assertOneSentence,
  type Content,
  contentOfFile,
  contentOfPlace,
  onDatabase,
  openShop,
  type Place,
  type Places,
  type Shop,
  succeed,
} from './backup-places.ts'

/** Rows enough for the work to last longer than the start of a command. */
const PLAYERS = 20_000
const AT_ONCE = 50
const NOT_EMPTY = /^laurel: the database is not empty /

/** Kills each command on these databases so many times; and moves between them, if both are named. Gives a line for each command. */
export async function* killCommands(
  places: Places,
  shop: Shop,
  { databases, kills }: Readonly<{ databases: readonly CampaignDatabase[]; kills: number }>,
): AsyncGenerator<string> {
  const sources: Place[] = []
  for (const database of databases) {
    const place = await places.open(database)
    if (sources[0] === undefined) await fillPlace(place, shop)
    else await succeed(moveTo(place), sources[0].env)
    sources.push(place)
  }
  const content = await contentOfPlace(sources[0]!)
  const file = places.newPath('whole.zst')
  await succeed(['backup', file], sources[0]!.env)
  const killing = (target: CampaignDatabase, command: CommandOn) => killCopies(places, target, content, kills, command)
  for (const source of sources) {
    const { database, env } = source
    yield `backup of ${database}: ${await killBackups(places, source, content, kills)}`
    yield `restore on ${database}: ${await killing(database, (target) => [['restore', file], target.env])}`
    for (const other of databases.filter((one) => one !== database))
      yield `move from ${database} to ${other}: ${await killing(other, (target) => [moveTo(target), env])}`
  }
  for (const source of sources)
    assert.deepEqual(await contentOfPlace(source), content, `the ${source.database} source is as it was`)
  for (const source of sources.filter(({ database }) => database === 'embedded'))
    yield `backup by a service: ${await killServices(places, source, content, kills)}`
}

type CommandOn = (target: Place) => readonly [args: string[], env: Place['env']]

const moveTo = ({ databaseUrl, data }: Place) => ['move', '--to', databaseUrl ?? data]

/** Gives a database the orders of the shop, and many players without any. */
async function fillPlace(place: Place, shop: Shop): Promise<void> {
  const service = await openShop(place, shop)
  for (let from = 0; from < shop.states.length; from += AT_ONCE) {
    const orders = shop.states.slice(from, from + AT_ONCE).map(({ order }) => order)
    assert.equal((await service.upsert('orders', orders)).status, 200)
  }
  await service.stop()
  await onDatabase(place, (db) =>
    db.transaction(
      (tx) =>
        tx.script(
          `insert into players (user_id, name, email, phone, address, gender, refer_code, state, district, referred_by, pincode, country, row_hash, rev, created_at, updated_at)
           select 'many-' || n, 'Player ' || n, n || '@example.com', '', '', 'male', 'C' || n, '', '', '', '', '', decode(md5(n::text), 'hex'), 1, now(), now()
           from generate_series(1, ${PLAYERS}) as n`,
        ),
      performance.now() + 600_000,
    ),
  )
}

/** Those tables that a service changes only when it is asked to; accounts also get what their balances are computed from. */
function ledgerOf({ players, products, orders, entries, programs, order_owners, tokens }: Content): Content {
  return { players, products, orders, entries, programs, order_owners, tokens } as Content
}

type Tally = { before: number; after: number }

/** Kills a command within the time that it takes, and a little longer. Returns how it ended. */
async function killed(command: CommandProcess, withinMs: number, tally: Tally): Promise<Ended> {
  await Promise.race([sleep(Math.random() * withinMs), command.ended])
  const ended = await command.kill()
  tally[ended.signal === 'SIGKILL' ? 'before' : 'after'] += 1
  return ended
}

const said = ({ before, after }: Tally, rest: string) =>
  `${before} killed before their end, ${after} had ended; ${rest}`

/** A file is absent or whole, and the command succeeds under the same name, whatever it left behind. */
async function killBackups(places: Places, place: Place, content: Content, kills: number): Promise<string> {
  const tally = { before: 0, after: 0 }
  const file = places.newPath('killed.zst')
  const args = ['backup', file]
  let leftovers = 0
  let tookMs = await timed(() => succeed(args, place.env))
  for (let kill = 1; kill <= kills; kill += 1) {
    rmSync(file, { force: true })
    await killed(launch(args, { env: place.env }), tookMs, tally)
    if (existsSync(`${file}.unfinished`)) leftovers += 1
    if (existsSync(file)) assert.deepEqual(await contentOfFile(file), content, 'a file is whole')
    rmSync(file, { force: true })
    tookMs = await timed(() => succeed(args, place.env))
    assert.deepEqual(await contentOfFile(file), content)
    assert(!existsSync(`${file}.unfinished`), 'nothing is left behind')
  }
  return said(tally, `${leftovers} times an unfinished file was left, and in nobody's way`)
}

/** A target is empty or whole; if it is empty, the same command fills it. */
async function killCopies(
  places: Places,
  database: CampaignDatabase,
  content: Content,
  kills: number,
  command: CommandOn,
): Promise<string> {
  const tally = { before: 0, after: 0 }
  let whole = 0
  const first = command(await places.open(database))
  const tookMs = await timed(() => succeed(...first))
  for (let kill = 1; kill <= kills; kill += 1) {
    const target = await places.open(database)
    const [args, env] = command(target)
    await killed(launch(args, { env }), tookMs, tally)
    const again = await launch(args, { env }).ended
    if (again.code !== 0) {
      assertOneSentence(again, NOT_EMPTY)
      whole += 1
    }
    assert.deepEqual(await contentOfPlace(target), content, 'the target is whole')
    rmSync(target.data, { recursive: true, force: true, maxRetries: 5 })
  }
  return said(tally, `${whole} targets were whole then, and ${kills - whole} were filled by the same command`)
}

/** The service that writes the backup is killed; the command says so. */
async function killServices(places: Places, place: Place, content: Content, kills: number): Promise<string> {
  const tally = { before: 0, after: 0 }
  const file = places.newPath('of-service.zst')
  const args = ['backup', file]
  let service = await startService(place)
  const tookMs = await timed(() => succeed(args, place.env))
  for (let kill = 1; kill <= kills; kill += 1) {
    rmSync(file, { force: true })
    const command = launch(args, { env: place.env })
    await Promise.race([sleep(Math.random() * tookMs), command.ended])
    await service.kill()
    const ended = await command.ended
    if (ended.code !== 0) assertOneSentence(ended, /^laurel: ./)
    tally[ended.code === 0 ? 'after' : 'before'] += 1
    assert.equal(existsSync(file), ended.code === 0)
    rmSync(file, { force: true })
    service = await startService(place)
    await succeed(args, place.env)
    assert.deepEqual(ledgerOf(await contentOfFile(file)), ledgerOf(content))
  }
  await service.stop()
  return said(tally, 'each command said so, and succeeded with the next service')
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

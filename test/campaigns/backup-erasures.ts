/*
 * Erasures are killed at random moments, by a command and by a service: the player is erased everywhere or nowhere, no sum changes, and the same
 * erasure succeeds afterwards.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { withBackupText } from '../../src/database/backup/backup-file.ts'
import { readerOf } from '../../src/database/db/reader.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { launch, startService } from '../support/service-process.ts'
import { ERASURE_KEY } from '../support/test-app.ts'
import type { CampaignDatabase } from './arguments.ts'
import { onDatabase, openShop, type Place, type Places, type Shop, succeed } from './backup-places.ts'

const ORDERS = 300
const REASON = 'asked for it'
const ERASED = /^(the player is erased|the player was erased before, and has the ID erased-\S+)\n/

const idOf = (person: number) => `person-${person}@example.com`
const nameOf = (person: number) => `Zephyrine Quux ${person}`
const codeOf = (person: number) => `QUUX-${person}`

/** Kills erasures on these databases, so many times by a command and so many by a service. Gives a line for each. */
export async function* killErasures(
  places: Places,
  shop: Shop,
  { databases, kills }: Readonly<{ databases: readonly CampaignDatabase[]; kills: number }>,
): AsyncGenerator<string> {
  for (const database of databases) {
    const opened = await places.open(database)
    const place: Place = { ...opened, env: { ...opened.env, ...ERASURE_KEY } }
    await addPeople(place, shop, 2 * kills + 2)
    const sums = await sumsIn(place)
    yield `erasure by a command on ${database}: ${await killErasingCommands(place, kills)}`
    yield `erasure by a service on ${database}: ${await killErasingServices(place, kills, kills + 1)}`
    assert.deepEqual(await sumsIn(place), sums, 'no sum has changed')
    assert.match(await succeed(['ledger', 'verify'], place.env), /: no difference\n/)
    await assertNoTraces(place)
  }
}

/** Each person has orders, and a friend who was referred. */
async function addPeople(place: Place, shop: Shop, people: number): Promise<void> {
  const service = await openShop(place, shop)
  for (let person = 0; person < people; person += 1) {
    const friend = `friend-${person}`
    const players = [
      aPlayer({ User_id: idOf(person), Name: nameOf(person), Refercode: codeOf(person) }),
      aPlayer({ User_id: friend, Refercode: '', RefBy: nameOf(person) }),
    ]
    assert.equal((await service.upsert('players', players)).status, 200)
    const orders = Array.from({ length: ORDERS }, (_, n) =>
      anOrder({ order_id: `p-${person}-${n}`, user_id: idOf(person), total_amount: '100' }),
    )
    const referred = anOrder({ order_id: `f-${person}`, user_id: friend, refferral_code: codeOf(person) })
    const { body, text } = await service.upsert('orders', [...orders, referred])
    assert.equal(body.inserted, ORDERS + 1, text)
  }
  await service.stop()
}

/** The sums of the ledger, and how many rows there are. */
async function sumsIn(place: Place): Promise<object> {
  return await onDatabase(place, async (db) => {
    const [sums] = await readerOf(db, performance.now() + 60_000).query<object>(
      `select (select count(*) from players) as players, (select sum(points)::text from accounts) as balance, (select sum(points)::text from entries) as entries,
        (select count(*) from orders) as orders, (select sum(points)::text from orders) as earned`,
    )
    return sums!
  })
}

type Found = Readonly<{ players: number; accounts: number; orders: number; entries: number; codes: number }>

/** Whether a person was erased. Rejects if something of them is left, and something is gone. */
async function isErased(place: Place, person: number): Promise<boolean> {
  return await onDatabase(place, async (db) => {
    const [found] = await readerOf(db, performance.now() + 60_000).query<Found>(
      `select (select count(*) from players where user_id = $1)::int as players, (select count(*) from accounts where user_id = $1)::int as accounts,
        (select count(*) from orders where user_id = $1)::int as orders, (select count(*) from entries where user_id = $1 and order_id like 'p-%')::int as entries,
        (select count(*) from orders where state ->> 'referral_code' = $2)::int as codes`,
      [idOf(person), codeOf(person)],
    )
    const whole = { players: 1, accounts: 1, orders: ORDERS, entries: ORDERS, codes: 1 }
    const none = { players: 0, accounts: 0, orders: 0, entries: 0, codes: 0 }
    const erased = found!.players === 0
    assert.deepEqual(found, erased ? none : whole, 'a person is erased everywhere or nowhere')
    return erased
  })
}

type Tally = { nowhere: number; everywhere: number }

const said = ({ nowhere, everywhere }: Tally) =>
  `${nowhere} times nothing was erased, ${everywhere} times everything; the same erasure succeeded afterwards`

/** Counts what a kill has left, and erases the person. */
async function eraseAgain(place: Place, person: number, tally: Tally): Promise<void> {
  tally[(await isErased(place, person)) ? 'everywhere' : 'nowhere'] += 1
  assert.match(await succeed(eraseArgs(person), place.env), ERASED)
  assert(await isErased(place, person))
}

const eraseArgs = (person: number) => ['player', 'erase', idOf(person), '--reason', REASON, '--yes']

async function killErasingCommands(place: Place, kills: number): Promise<string> {
  const tally = { nowhere: 0, everywhere: 0 }
  const beganAt = performance.now()
  assert.match(await succeed(eraseArgs(0), place.env), ERASED)
  const tookMs = performance.now() - beganAt
  for (let person = 1; person <= kills; person += 1) {
    const command = launch(eraseArgs(person), { env: place.env })
    // Most of the time is that of the start.
    await Promise.race([sleep(tookMs * (0.5 + Math.random() / 2)), command.ended])
    await command.kill()
    await eraseAgain(place, person, tally)
  }
  return said(tally)
}

async function killErasingServices(place: Place, kills: number, first: number): Promise<string> {
  const tally = { nowhere: 0, everywhere: 0 }
  let service = await startService(place)
  const erase = (person: number) =>
    service.ask(`/api/admin/players/${encodeURIComponent(idOf(person))}/erase`, { body: { data: { reason: REASON } } })
  const beganAt = performance.now()
  assert.equal((await erase(first)).status, 200)
  const tookMs = performance.now() - beganAt
  for (let person = first + 1; person <= first + kills; person += 1) {
    const asked = erase(person).catch(() => undefined)
    await Promise.race([sleep(Math.random() * tookMs), asked])
    await service.kill()
    await asked
    await eraseAgain(place, person, tally)
    service = await startService(place)
  }
  await service.stop()
  return said(tally)
}

/** No text of an erased person stands in a backup. */
async function assertNoTraces(place: Place): Promise<void> {
  const found = new Set<string>()
  await onDatabase(place, (db) =>
    withBackupText(db, { laurel: '', at: '', onRows: () => undefined }, async (text) => {
      let table = ''
      for await (const part of text) {
        table = /^COPY (\w+) /.exec(part)?.[1] ?? table
        for (const [word] of part.matchAll(/person-\d+@example\.com|Zephyrine Quux \d+|QUUX-\d+/g))
          found.add(`${table}: ${word}`)
      }
    }),
  )
  assert.deepEqual([...found], [])
}

import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestPglite } from '../../../test/support/databases.ts'
import { migrate } from '../../database/db/migrate.ts'
import { expiryAfter, expiryAssignmentsOf } from '../../engine/points/pending-and-expiry.ts'
import { STARTER_PROGRAM } from '../../engine/points/starter-program.ts'
import { Unavailable } from '../../errors.ts'
import { publishProgram, publishStarterProgram, readPublication, withdrawProgram } from './service.ts'
import { createProgramCache, loadPrograms, readPrograms } from './stored-programs.ts'

const soon = () => performance.now() + 20_000

test('the program cache is reloaded after a publication or a withdrawal, and only then', async (t) => {
  const db = await openTestPglite(t)
  await migrate(db, soon())
  await publishStarterProgram(db, new Date('2026-01-01T00:00:00Z'), soon())
  const deps = { db, now: () => new Date('2026-06-01T00:00:00Z'), observe: () => undefined }
  const cache = createProgramCache(db)
  assert.deepEqual(cache.all(), [])
  const loaded = async () => {
    await cache.refresh(soon())
    return cache.all()
  }

  const first = await loaded()
  assert.deepEqual(
    first.map(({ version }) => version),
    [1],
  )
  assert.equal(await loaded(), first, 'nothing has changed, so nothing was loaded')

  await publishProgram(deps, readPublication({ source: STARTER_PROGRAM, from: '2027-01-01T00:00:00Z' }), 'test', soon())
  const second = await loaded()
  assert.deepEqual(
    second.map(({ version, withdrawn }) => [version, withdrawn]),
    [
      [1, undefined],
      [2, undefined],
    ],
  )

  await withdrawProgram(deps, '2', 'test', soon())
  assert.equal(cache.all(), second, 'the programs in memory change only by a refresh')
  await assert.rejects(cache.refresh(performance.now() - 1), Unavailable)
  assert.equal(cache.all(), second, 'a failed refresh keeps the known programs')
  assert.deepEqual(
    (await loaded()).map(({ version, withdrawn }) => [version, withdrawn]),
    [
      [1, undefined],
      [2, true],
    ],
  )
})

test('an expiry that earlier-points assigned on the first day of a month stays if its version was published before decision 220', async (t) => {
  const db = await openTestPglite(t)
  await migrate(db, soon())
  await publishStarterProgram(db, new Date('2026-01-01T00:00:00Z'), soon())
  const deps = { db, now: () => new Date('2026-05-01T00:00:00Z'), observe: () => undefined }
  const source = `${STARTER_PROGRAM}\npoints: { expire: { after: P12M, at-end-of: month }, earlier-points: P12M }\n`
  await publishProgram(deps, readPublication({ source, from: '2026-06-01T00:00:00Z' }), 'test', soon())
  const assigned = async () => {
    const [assignment] = expiryAssignmentsOf(await loadPrograms(db, soon()))
    return expiryAfter(assignment!.on, assignment!.expiry)
  }
  assert.equal(await assigned(), '2027-07-01')
  await db.transaction((tx) => tx.script('update programs set rounds_first_days = default'), soon())
  assert.equal(await assigned(), '2027-06-01')
})

test('a version with many conditions is read in parts: others get their turn in between', async () => {
  const condition = Array(60).fill('player.known').join(' || ')
  const rules = Array.from({ length: 200 }, (_, n) => `  - { name: r${n}, fixed: { points: 1 }, when: "${condition}" }`)
  const source = `name: Many\nrounding: floor\nlevels: { counts: lifetime, ladder: [{ name: A, from: 0 }] }\nearn:\n${rules.join('\n')}`
  const stored = { version: 1, holds_from: '-infinity', source, withdrawn_at: null, rounds_first_days: true }
  let isRead = false
  const reading = readPrograms({ query: async () => [stored as never] }).finally(() => {
    isRead = true
  })
  let turns = 0
  for (; !isRead; turns += 1) await new Promise(setImmediate)
  assert.equal((await reading)[0]?.program.earn.length, 200)
  assert(turns > 3, `${turns} turns`)
})

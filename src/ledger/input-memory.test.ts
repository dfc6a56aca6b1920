import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { noChanges } from '../database/db/changes.ts'
import { EMPTY_HISTORY, type Snapshot, toBalanceQuery } from '../engine/points/ledger/snapshot.ts'
import { debitOn } from '../engine/points/lots/movement.ts'
import { createInputMemory } from './input-memory.ts'
import type { OrderQuery } from './snapshots.ts'

const PLAYERS = ['u-0', 'u-1', 'u-2']
const SKUS = ['tea', 'cup']

async function* pagesOf(...pages: string[][]) {
  yield* pages
}

const query = (userId: string, orderId: string, more: Partial<OrderQuery> = {}): OrderQuery => ({
  ...{ userId, orderId, skus: SKUS, code: '' },
  ...more,
})

/** A database that is its committed rows: revisions by key, the ids of recorded orders. */
function plainDatabase() {
  const revisions = new Map<string, bigint>()
  const snapshot = (): Snapshot => {
    const rows = new Map(revisions)
    const lookup = <T>(of: (revision: bigint) => T) => ({
      get: (key: string) => (rows.has(key) ? of(rows.get(key)!) : undefined),
      has: (key: string) => rows.has(key),
    })
    return {
      profiles: lookup((rev) => ({ region: `${rev}`, district: '', country: '', gender: '' })),
      accounts: lookup((rev) => ({ points: rev })) as unknown as Snapshot['accounts'],
      catalogue: lookup((rev) => ({ units: rev })) as unknown as Snapshot['catalogue'],
      ...{ orders: new Map(), codes: new Map(), levelPointsIn: () => undefined, history: () => undefined },
    }
  }
  return { revisions, snapshot }
}

const shown = ({ profiles, accounts, catalogue }: Snapshot, userId: string) => ({
  profile: profiles.get(userId),
  account: accounts.get(userId),
  prices: SKUS.map((sku) => catalogue.get(sku)),
})

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'refresh' as const }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const), player: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), read: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deliver' as const), read: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      players: fc.subarray(PLAYERS),
      skus: fc.subarray(SKUS),
      order: fc.nat({ max: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('apply' as const), commit: fc.nat(), isLost: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), commit: fc.nat() }) },
)

test('whatever is read, committed, lost and answered in whichever order, what is found is what is committed, and no recorded order is taken for new', async () => {
  let found = 0
  const property = fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
    const memory = createInputMemory()
    await memory.loadOrders(pagesOf(['o-100']), () => false)
    const { revisions, snapshot } = plainDatabase()
    for (const key of [...PLAYERS, ...SKUS]) revisions.set(key, 0n)
    const recorded = new Set(['o-100'])
    /** Reads under way: first unanswered by the database, then answered by it, and not yet delivered. */
    const reads: { response?: Snapshot; deliver: (snapshot: Snapshot) => void }[] = []
    /** Commits under way: keys not yet changed, then changed, then acknowledged. */
    const commits: { keys: string[]; order: string; isApplied: boolean; settle: () => void }[] = []
    const pick = <T>(list: T[], place: number) => list[place % list.length]
    let next = 0n
    const check = () => {
      for (const userId of PLAYERS) {
        const inputs = memory.find(query(userId, 'o-new'))
        if (inputs === undefined) continue
        found += 1
        assert.deepEqual(shown(inputs, userId), shown(snapshot(), userId))
      }
      for (const id of recorded) assert.equal(memory.find(query('u-0', id)), undefined, `${id} was taken for new`)
    }
    for (const one of steps) {
      switch (one.kind) {
        case 'refresh':
          await memory.keep(
            PLAYERS.map((userId) => query(userId, 'o-new')),
            async () => snapshot(),
          )
          break
        case 'ask': {
          const read = Promise.withResolvers<Snapshot>()
          void memory.keep([query(PLAYERS[one.player]!, 'o-new')], () => read.promise)
          reads.push({ deliver: read.resolve })
          break
        }
        case 'read': {
          const read = pick(reads, one.read)
          if (read !== undefined) read.response ??= snapshot()
          break
        }
        case 'deliver': {
          const read = pick(reads, one.read)
          if (read?.response === undefined) break
          read.deliver(read.response)
          reads.splice(reads.indexOf(read), 1)
          await new Promise((done) => setImmediate(done))
          break
        }
        case 'commit': {
          const changes = noChanges()
          const order = `o-${one.order}`
          for (const userId of one.players) changes.players.add(userId)
          for (const sku of one.skus) changes.products.add(sku)
          changes.orders.add(order)
          commits.push({
            ...{ keys: [...one.players, ...one.skus], order, isApplied: false },
            settle: memory.forget(changes),
          })
          break
        }
        case 'apply': {
          const commit = pick(commits, one.commit)
          if (commit === undefined || commit.isApplied || one.isLost) break
          commit.isApplied = true
          next += 1n
          for (const key of commit.keys) revisions.set(key, next)
          recorded.add(commit.order)
          break
        }
        case 'settle': {
          const commit = pick(commits, one.commit)
          if (commit === undefined) break
          commit.settle()
          commits.splice(commits.indexOf(commit), 1)
          break
        }
        default:
          one satisfies never
      }
      check()
    }
  })
  await fc.assert(property, { numRuns: 300 })
  assert(found > 1_000, `found ${found} times: the test looks at nothing`)
})

test('codes, balances and orders that may be recorded are looked up in the database; so is everything until all ids are loaded', async () => {
  const memory = createInputMemory()
  const { revisions, snapshot } = plainDatabase()
  for (const key of [...PLAYERS, ...SKUS]) revisions.set(key, 1n)
  await memory.keep([query('u-0', 'o-1')], async () => snapshot())
  assert.equal(memory.find(query('u-0', 'o-1')), undefined)
  await memory.loadOrders(pagesOf(['o-2'], ['o-3']), () => true)
  assert.equal(memory.find(query('u-0', 'o-1')), undefined, 'it was stopped before it had all ids')
  await memory.loadOrders(pagesOf(['o-2'], ['o-3']), () => false)
  assert.notEqual(memory.find(query('u-0', 'o-1')), undefined)
  for (const other of [
    query('u-0', 'o-2'),
    query('u-0', 'o-3'),
    query('u-1', 'o-1'),
    query('u-0', 'o-1', { code: 'MEERA' }),
    query('u-0', 'o-1', { histories: [toBalanceQuery('u-0')] }),
    query('u-0', 'o-1', { skus: ['tea', 'unheard-of'] }),
  ])
    assert.equal(memory.find(other), undefined, JSON.stringify(other))
})

test('players and products that are not there are remembered as such', async () => {
  const memory = createInputMemory()
  const { snapshot } = plainDatabase()
  await memory.loadOrders(pagesOf(), () => false)
  await memory.keep([query('u-0', 'o-1')], async () => snapshot())
  const inputs = memory.find(query('u-0', 'o-1'))
  assert(inputs !== undefined)
  assert.deepEqual(shown(inputs, 'u-0'), { profile: undefined, account: undefined, prices: [undefined, undefined] })
})

test('so many players are kept that those asked for again and again stay, and no more', async () => {
  const memory = createInputMemory()
  const { snapshot } = plainDatabase()
  await memory.loadOrders(pagesOf(), () => false)
  for (let from = 0; from < 200_000; from += 10_000) {
    const queries = Array.from({ length: 10_000 }, (_, index) => query(`u-${from + index}`, 'o-1', { skus: [] }))
    await memory.keep(queries, async () => snapshot())
    memory.find(query('u-7', 'o-1', { skus: [] }))
  }
  const isKept = (place: number) => memory.find(query(`u-${place}`, 'o-1', { skus: [] })) !== undefined
  assert(isKept(7))
  assert.equal(isKept(8), false)
  assert(isKept(199_999))
})

test('of products with many attributes fewer are kept, so that their bytes are bounded (decision 161)', async () => {
  const memory = createInputMemory()
  const { snapshot } = plainDatabase()
  await memory.loadOrders(pagesOf(), () => false)
  const skus = Array.from({ length: 12_000 }, (_, index) => `p-${index}`)
  const isKept = (sku: string) => memory.find(query('u-0', 'o-1', { skus: [sku] })) !== undefined
  for (const [length, keeps] of [
    [10, true],
    [2_000, false],
  ] as const) {
    const attributes = new Map(skus.map((sku) => [sku, 'x'.repeat(length)]))
    for (const sku of skus)
      await memory.keep([query('u-0', 'o-1', { skus: [sku] })], async () => ({ ...snapshot(), attributes }))
    assert.deepEqual([isKept('p-0'), isKept('p-11999')], [keeps, true], `${length} characters`)
  }
})

test('histories of points are kept for as many players as there is room for their movements', async () => {
  const memory = createInputMemory()
  const { snapshot } = plainDatabase()
  await memory.loadOrders(pagesOf(), () => false)
  const movement = debitOn('2026-05-10', 1n)
  const history = { ...EMPTY_HISTORY, movements: Array.from({ length: 50 }, () => movement) }
  const asking = (place: number) => query(`u-${place}`, 'o-1', { skus: [], histories: [toBalanceQuery(`u-${place}`)] })
  for (let place = 0; place < 12_000; place += 1)
    await memory.keep([asking(place)], async () => ({ ...snapshot(), history: () => history }))
  const kept = Array.from({ length: 12_000 }, (_, place) => memory.find(asking(place)) !== undefined)
  assert(kept.at(-1))
  assert.equal(kept.indexOf(true), 5_000)
  const long = { ...EMPTY_HISTORY, movements: Array.from({ length: 65 }, () => movement) }
  await memory.keep([asking(20_000)], async () => ({ ...snapshot(), history: () => long }))
  assert.equal(memory.find(asking(20_000)), undefined)
})

/*
 * The guarantees of the ledger, tested with generated histories: players, prices and programs that change while orders are placed,
 * changed, cancelled, sent again and sent late, by one client or by several at once.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import {
  good,
  history,
  openWorlds,
  PLAYERS,
  type Program,
  playerOf,
  program,
  type Sent,
  sendAgain,
  sent,
  sourceOf,
  state,
  take,
  type World,
  wireOf,
} from '../support/histories.ts'
import { forEachService } from '../support/test-app.ts'

const HISTORIES = 30
const SPLITS = 20
const SUMS = 20

/** A failing history is reported without shrinking, which takes minutes. */
const params = (numRuns: number) => ({ numRuns, endOnFailure: true })

// Orders of players without referrals between them, and the ways in which they can be sent.

const alone = fc.record({
  player: fc.constantFrom(...PLAYERS),
  order: fc.constantFrom('1', '2', '3'),
  state: state.map((each) => ({ ...each, total_amount: each.total_amount % 5_000, refferral_code: '' as const })),
  daysAgo: fc.constantFrom(0, 1, 20, 31, 200),
})
type Alone = typeof alone extends fc.Arbitrary<infer T> ? T : never

/**
 * Without the states that lead an order back to an earlier one: in one list they change nothing, one by one they do (decision 71). An order may be
 * sent again as it is; any other state of it has a total of its own.
 */
function withoutWaysBack(orders: readonly Alone[]): Alone[] {
  const sentOf = new Map<string, Alone[]>()
  return orders.filter((one) => {
    const states = sentOf.getOrInsertComputed(`${one.player} ${one.order}`, () => [])
    const leadsBack = states.some(({ state }) => state.total_amount === one.state.total_amount)
    if (leadsBack && !isDeepStrictEqual(states.at(-1), one)) return false
    states.push(one)
    return true
  })
}

const ways = fc.record({
  program,
  orders: fc.array(alone, { minLength: 4, maxLength: 40, size: 'max' }).map(withoutWaysBack),
  /** Players in the order in which their orders are sent. */
  turns: fc.infiniteStream(fc.nat(PLAYERS.length - 1)),
  /** Where a batch ends. */
  cuts: fc.infiniteStream(fc.boolean()),
})

/** The same orders in another sequence, which keeps each player's own sequence. */
function interleaved(orders: readonly Sent[], turns: Iterator<number>): Sent[] {
  const queues = [...Map.groupBy(orders, ({ player }) => player).values()]
  const mixed: Sent[] = []
  while (queues.length > 0) {
    const place = turns.next().value % queues.length
    mixed.push(queues[place]!.shift()!)
    if (queues[place]!.length === 0) queues.splice(place, 1)
  }
  return mixed
}

function batchesOf<T>(items: readonly T[], cuts: Iterator<boolean>): T[][] {
  const batches: T[][] = [[]]
  for (const item of items) {
    batches.at(-1)!.push(item)
    if (cuts.next().value) batches.push([])
  }
  return batches
}

async function sendInTurn(world: World, batches: readonly (readonly Sent[])[]): Promise<void> {
  for (const batch of batches) await good(world.app.record(batch.map((each) => wireOf(world, each))))
}

const entriesOf = ({ app, prefix }: World) =>
  app.query(`
    select substr(user_id, ${prefix.length + 1}) as player, substr(order_id, ${prefix.length + 1}) as order_id, seq, kind, points,
      counts, at::text, revision, program_version, explanation::jsonb as explanation
    from entries where user_id like '${prefix}%' order by 1, seq`)

// Plain sums, which share no arithmetic with the service.

const CODES: Readonly<Record<string, string>> = { ann: 'ann', ben: 'ben', cleo: 'shared', dan: 'shared' }
const plain: Program = {
  zone: undefined,
  rounding: 'floor',
  counts: 'lifetime',
  rules: [{ when: undefined, 'per-amount': { points: 1, every: 10, of: 'net', 'whole-steps': false } }],
  referral: undefined,
}
const friendAndReferrer = { friend: 5, referrer: 11, counts: true }
const modest = sent.map((one) => ({ ...one, state: { ...one.state, total_amount: one.state.total_amount % 5_000 } }))

const floorOfTenth = ({ total_amount, discount, status = 'placed' }: Sent['state']) =>
  status === 'placed' ? Math.max(0, Math.floor((total_amount - discount) / 10)) : 0

/** The balance of each player after these orders were sent one after the other. */
function balances(orders: readonly Sent[], referral = { friend: 0, referrer: 0 }): Map<string, number> {
  const states = new Map<string, Sent>()
  const firsts = new Map<string, string>()
  for (const one of orders) {
    const id = one.order === 'common' ? 'common' : `${one.player} ${one.order}`
    if (one.player === 'nobody' || (states.get(id)?.player ?? one.player) !== one.player) continue
    states.set(id, one)
    if ((one.state.status ?? 'placed') === 'placed' && !firsts.has(one.player)) firsts.set(one.player, id)
  }
  const sums = new Map<string, number>(PLAYERS.map((name) => [name, 0]))
  const add = (name: string, points: number) => sums.set(name, sums.get(name)! + points)
  for (const [id, { player, state }] of states) {
    add(player, floorOfTenth(state))
    const bearers = Object.entries(CODES).filter(([name, code]) => name !== player && code === state.refferral_code)
    const isPlaced = (state.status ?? 'placed') === 'placed'
    if (firsts.get(player) !== id || !isPlaced || bearers.length !== 1) continue
    add(player, referral.friend)
    add(bearers[0]![0], referral.referrer)
  }
  return sums
}

async function checkBalances({ app, prefix }: World, expected: ReadonlyMap<string, number>): Promise<void> {
  const accounts = await app.query(
    `select substr(user_id, ${prefix.length + 1}) as name, points from accounts where user_id like '${prefix}%'`,
  )
  const points = new Map(accounts.map(({ name, points }) => [name, Number(points)]))
  assert.deepEqual(new Map(PLAYERS.map((name) => [name, points.get(name) ?? 0])), expected)
}

forEachService((openTestApp) => {
  test('in any history predictions come true, resending changes nothing, and the ledger adds up', async (t) => {
    const { newWorld, checkLedgers } = await openWorlds((options) => openTestApp(t, options))
    await fc.assert(
      fc.asyncProperty(history, async ({ program, steps }) => {
        const world = await newWorld(sourceOf(program))
        for (const one of steps) await take(world, one)
        await sendAgain(world, [...world.last.values()])
      }),
      params(HISTORIES),
    )
    await checkLedgers()
  })

  test('players without referrals between them get the same entries however their orders are split, interleaved or sent concurrently', async (t) => {
    const { newWorld, checkLedgers } = await openWorlds((options) => openTestApp(t, options))
    await fc.assert(
      fc.asyncProperty(ways, async ({ program, orders, turns, cuts }) => {
        const world = await newWorld(sourceOf(program))
        const [byOne, mixed, atOnce] = ['one by one.', 'mixed.', 'at once.'].map((name) => ({
          ...world,
          prefix: world.prefix + name,
        })) as [World, World, World]
        for (const { prefix } of [byOne, mixed, atOnce])
          await good(world.app.upsertPlayers(PLAYERS.map((name) => playerOf(prefix, name, 'Goa', ''))))
        await sendInTurn(
          byOne,
          orders.map((order) => [order]),
        )
        await sendInTurn(mixed, batchesOf(interleaved(orders, turns), cuts))
        const clients = Map.groupBy(orders, ({ player }) => PLAYERS.indexOf(player) % 3)
        await Promise.all([...clients.values()].map((own) => sendInTurn(atOnce, batchesOf(own, cuts))))
        const expected = await entriesOf(byOne)
        assert(expected.length >= new Set(orders.map(({ player, order }) => player + order)).size)
        assert.deepEqual(await entriesOf(mixed), expected)
        assert.deepEqual(await entriesOf(atOnce), expected)
      }),
      params(SPLITS),
    )
    await checkLedgers()
  })

  test('under a simple program balances match plain arithmetic, referrals included', async (t) => {
    const { newWorld, checkLedgers } = await openWorlds((options) => openTestApp(t, options))
    const orders = fc.array(modest, { minLength: 10, maxLength: 60, size: 'max' })
    await fc.assert(
      fc.asyncProperty(orders, fc.infiniteStream(fc.boolean()), async (orders, cuts) => {
        const world = await newWorld(sourceOf({ ...plain, referral: friendAndReferrer }))
        const { app, prefix } = world
        await good(app.upsertPlayers(PLAYERS.map((name) => playerOf(prefix, name, 'Goa', CODES[name]))))
        await sendInTurn(world, batchesOf(orders, cuts))
        await checkBalances(world, balances(orders, friendAndReferrer))
      }),
      params(SUMS),
    )
    await checkLedgers()
  })

  test('many concurrent clients for the same players neither lose nor duplicate an order', async (t) => {
    const { newWorld, checkLedgers } = await openWorlds((options) => openTestApp(t, options))
    const ownIds = modest.filter(({ order }) => order !== 'common')
    const clients = fc.array(fc.array(ownIds, { minLength: 2, maxLength: 12 }), { minLength: 3, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(clients, fc.infiniteStream(fc.boolean()), async (clients, cuts) => {
        const world = await newWorld(sourceOf(plain))
        const own = clients.map((orders, client) =>
          orders.map((each) => ({ ...each, order: `${each.order} of ${client}` })),
        )
        await Promise.all(
          own.map(async (orders) => {
            // A retry: the client sends everything twice.
            for (const batch of batchesOf(orders, cuts)) await sendInTurn(world, [batch as Sent[], batch as Sent[]])
          }),
        )
        await checkBalances(world, balances(own.flat() as Sent[]))
      }),
      params(SUMS),
    )
    await checkLedgers()
  })
})

/*
 * Backtests: the program in effect gives what the ledger holds, another one gives what would have been recorded under it.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { readOrder } from '../../src/engine/ingest/order.ts'
import { add, type Ratio, ratio, ratioText } from '../../src/engine/points/arithmetic.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { tryCases } from '../../src/engine/whatif/cases.ts'
import { type BacktestOutcome, backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { programIn } from '../support/generated.ts'
import {
  good,
  history,
  openWorlds,
  PLAYERS,
  type Program,
  playerOf,
  program,
  sent,
  sourceOf,
  take,
  type World,
  wireOf,
} from '../support/histories.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const HISTORIES = 12
const REPLAYS = 40
/** How many worlds are in the database at a time. A backtest reads the players of all: those of dozens would be most of its work. */
const WORLDS_TOGETHER = 6
const DAY_MS = 86_400_000

/** A failing history is reported without shrinking, which takes minutes. */
const params = (numRuns: number) => ({ numRuns, endOnFailure: true })

function backtestOf(
  app: TestApp,
  source: string,
  range: { from?: string; to?: string; now: string },
): Promise<BacktestOutcome> {
  return backtestProgram(app.service.db, { source, ...range }, () => undefined, { rangeOrders: 20 })
}

/** Creates worlds as `openWorlds` does, and deletes earlier ones from time to time. */
async function openFewWorlds(...open: Parameters<typeof openWorlds>) {
  const { newWorld } = await openWorlds(...open)
  let worlds = 0
  return async (source: string): Promise<World> => {
    const world = await newWorld(source)
    worlds += 1
    if (worlds % WORLDS_TOGETHER > 0) return world
    await world.app.query('truncate accounts, entries, order_owners, orders')
    return world
  }
}

/** Invariants of every outcome. */
function assertAddsUp({ tally }: BacktestOutcome): void {
  for (const side of ['before', 'after'] as const) {
    const months = [...tally.months.values()].reduce((sum, month) => sum + month[side], 0n)
    assert.equal(months, tally.points[side])
    const rules = [...tally.rules.values()].reduce<Ratio>((sum, rule) => add(sum, rule[side]), ratio(0n))
    const all = [tally.referral[side], tally.rounding[side], ratio(tally.referrer[side])].reduce(add, rules)
    assert.equal(ratioText(all), String(tally.points[side]))
  }
  assert.equal(tally.unlikeLedger, 0)
}

forEachService((openTestApp) => {
  test('a backtest of the program in effect gives exactly what the ledger holds', async (t) => {
    const newWorld = await openFewWorlds((options) => openTestApp(t, options))
    await fc.assert(
      fc.asyncProperty(history, fc.nat(300), async ({ program, steps }, days) => {
        const source = sourceOf(program)
        const world = await newWorld(source)
        for (const one of steps) if (one.kind !== 'program') await take(world, one)
        const { app, prefix, begins, clock } = world
        const to = new Date(clock.now.getTime() + 1).toISOString()
        for (const from of [new Date(begins).toISOString(), new Date(begins + days * DAY_MS).toISOString()]) {
          const outcome = await backtestOf(app, source, { from, to, now: to })
          const { tally } = outcome
          assertAddsUp(outcome)
          assert.equal(tally.underCandidate, tally.orders)
          const [ledger] = await app.query(`
            select coalesce(sum(points), 0)::text as points, count(distinct order_id) filter (where kind = 'order')::int as orders
            from entries where user_id like '${prefix}%' and kind <> 'adjustment' and at >= '${from}' and at < '${to}'`)
          assert.deepEqual([String(tally.points.before), String(tally.points.after)], [ledger!.points, ledger!.points])
          for (const { before, after } of [...tally.months.values(), tally.referrer]) assert.equal(before, after)
          for (const { before, after } of [...tally.rules.values(), tally.referral, tally.rounding])
            assert.equal(ratioText(before), ratioText(after))
          assert.deepEqual(tally.levels.before, tally.levels.after)
          assert.deepEqual([tally.moves.size, tally.winners, tally.losers], [0, [], []])
        }
      }),
      params(HISTORIES),
    )
  })

  test('a backtest of another program gives what recording the same orders under it would have given', async (t) => {
    const newWorld = await openFewWorlds((options) => openTestApp(t, options))
    await fc.assert(
      fc.asyncProperty(program, program, orders, async (inEffect, other, sentOrders) => {
        const world = await newWorld(sourceOf(inEffect))
        const { app, prefix, begins, clock } = world
        await good(app.upsertPlayers(PLAYERS.map((name) => playerOf(prefix, name, 'Kerala', CODES[name]))))
        const wires = sentOrders.map(({ daysLater, ...one }, index) => {
          clock.now = new Date(clock.now.getTime() + daysLater * DAY_MS + 1)
          return {
            ...wireOf(world, { ...one, order: String(index), daysAgo: undefined }),
            ordered_at: clock.now.toISOString(),
          }
        })
        await good(app.record(wires))
        const [from, to] = [new Date(begins).toISOString(), new Date(clock.now.getTime() + 1).toISOString()]
        const outcome = await backtestOf(app, sourceOf(other), { from, to, now: to })
        assertAddsUp(outcome)

        const replayed = replay(other, world, wires)
        const recorded = replay(inEffect, world, wires)
        const sumOf = (moves: readonly Move[]) => moves.reduce((sum, { points }) => sum + points, 0n)
        const { tally } = outcome
        assert.deepEqual(tally.points, { before: sumOf(recorded), after: sumOf(replayed) })
        const changes = PLAYERS.map((name) => {
          const own = (moves: readonly Move[]) => sumOf(moves.filter(({ userId }) => userId === prefix + name))
          return [prefix + name, own(replayed) - own(recorded)] as const
        })
        assert.deepEqual(
          new Map([...tally.winners, ...tally.losers].map(({ userId, change }) => [userId, change])),
          new Map(changes.filter(([, change]) => change !== 0n)),
        )
        assert.deepEqual(tally.levels.after, await levelsAfter(app, { other, replayed, prefix, to }))
      }),
      params(REPLAYS),
    )
  })
})

forEachService((openTestApp) => {
  const simple = (name: string, every: number, levels: string) =>
    JSON.stringify({
      name,
      rounding: 'floor',
      levels: {
        counts: 'lifetime',
        ladder: [
          { name: `${levels} 1`, from: 0 },
          { name: `${levels} 2`, from: 150 },
        ],
      },
      earn: [
        { name: 'base', 'per-amount': { points: 1, every, of: 'net' } },
        { name: 'again', when: `player.level == "${levels} 2"`, multiply: { by: '2' } },
      ],
    })
  const publish = (app: TestApp, source: string, from?: string) =>
    good(
      app.ask('POST', '/api/admin/programs', { body: { data: { source, ...(from === undefined ? {} : { from }) } } }),
    )
  const day = (number: number) => `2027-01-${String(number).padStart(2, '0')}T12:00:00.000Z`

  test('everything that makes an outcome inexact is counted, and an outcome without differences is exact all the same', async (t) => {
    const clock = { now: new Date(day(1)) }
    const app = await openTestApp(t, { now: () => clock.now })
    await good(app.upsertPlayers(['a', 'b'].map((id) => aPlayer({ User_id: id }))))
    await publish(app, simple('Held', 1, 'Held'))
    const send = (at: number, order: object) => {
      clock.now = new Date(day(at))
      return good(app.record([anOrder({ total_amount: 100, discount: 0, ...order })]))
    }
    await send(5, { user_id: 'a', order_id: 'a2', ordered_at: day(5), total_amount: 150 })
    await send(10, { user_id: 'a', order_id: 'a1', ordered_at: day(2), total_amount: 10 })
    await send(11, { user_id: 'b', order_id: 'b1', ordered_at: day(11) })
    await send(12, { user_id: 'b', order_id: 'b2', ordered_at: day(12) })
    await send(13, { user_id: 'b', order_id: 'b1', status: 'returned' })
    const now = day(20)
    const same = (await backtestOf(app, simple('Held', 1, 'Held'), { now })).tally
    assert.equal(same.points.after, same.points.before)
    const { tally } = await backtestOf(app, simple('Other', 2, 'Other'), { now })
    assert.deepEqual([tally.outOfOrder, tally.changedLater], [1, 1])
  })

  test('players whose accounts were only locked are counted neither by verify nor in the levels of a backtest', async (t) => {
    const app = await openTestApp(t)
    await good(
      app.upsertPlayers(['u-1', 'u-2', 'u-3'].map((id) => aPlayer({ User_id: id, Refercode: id, Phone: '1' }))),
    )
    await good(app.record([anOrder()]))
    // Refused, as the id is another player's; the code makes the writer lock the referrer's account, too.
    await app.record([anOrder({ user_id: 'u-2', refferral_code: 'u-3' })])
    assert.equal((await verifyLedger(app.service.db, () => undefined)).players, 1)
    for (const counts of ['lifetime', '{ window: P12M }']) {
      const { tally } = await backtestOf(app, laddered(counts), { now: new Date().toISOString() })
      assert.deepEqual([...tally.levels.after], [0, 1, 0, 0], counts)
    }
  })

  test('an order a few minutes ahead of the clock counts towards a level as it does for the account: with a window, from its own time on', async (t) => {
    for (const counts of ['{ window: P12M }', 'lifetime']) {
      const clock = { now: new Date(day(1)) }
      const app = await openTestApp(t, { now: () => clock.now })
      await good(app.upsertPlayers([aPlayer()]))
      const source = laddered(counts)
      clock.now = new Date(clock.now.getTime() + 3_600_000)
      const from = clock.now.toISOString()
      await good(app.ask('POST', '/api/admin/programs', { body: { data: { source, from } } }))
      const ahead = new Date(clock.now.getTime() + 240_000).toISOString()
      await good(app.record([anOrder({ order_id: counts, ordered_at: ahead })]))
      for (const laterMs of [0, 300_000]) {
        clock.now = new Date(clock.now.getTime() + laterMs)
        const { body } = await good(app.ask('GET', '/api/players/u-1'))
        const { tally } = await backtestOf(app, source, { now: clock.now.toISOString() })
        const isFirst = body.level === 'Bronze'
        for (const levels of [tally.levels.before, tally.levels.after])
          assert.deepEqual([...levels], isFirst ? [1, 0, 0, 0] : [0, 1, 0, 0], `${counts}, ${laterMs} ms later`)
      }
    }
  })

  test('a range that ends where another program begins uses the program in effect within it, and the players of that time', async (t) => {
    const clock = { now: new Date(day(1)) }
    const app = await openTestApp(t, { now: () => clock.now })
    await good(app.upsertPlayers(['a', 'b'].map((id) => aPlayer({ User_id: id }))))
    await publish(app, simple('Held', 1, 'Held'))
    const next = new Date(day(10))
    await publish(app, simple('Next', 1, 'Next'), next.toISOString())
    clock.now = new Date(day(5))
    await good(app.record([anOrder({ user_id: 'a', order_id: 'a1', total_amount: 200, discount: 0 })]))
    clock.now = new Date(day(15))
    await good(app.record([anOrder({ user_id: 'b', order_id: 'b1', total_amount: 200, discount: 0 })]))
    const source = simple('Held', 1, 'Held')
    const { tally, inEffect } = await backtestOf(app, source, { to: next.toISOString(), now: day(20) })
    assert.deepEqual([inEffect.name, tally.orders, tally.moves.size], ['Held', 1, 0])
    assert.deepEqual(
      [tally.levels.before, tally.levels.after],
      [
        [0, 1],
        [0, 1],
      ],
    )
  })
})

// The same orders as a test case of the other program, recorded one after the other in memory.

const CODES: Readonly<Record<string, string>> = { ann: 'ann', ben: 'ben', cleo: 'shared', dan: 'shared' }
const LADDER = [0n, 30n, 120n]

const orders = fc.array(
  sent
    .filter(({ player }) => player !== 'nobody')
    .chain((one) => fc.nat(40).map((daysLater) => ({ ...one, daysLater })))
    .map((one) => ({ ...one, state: { ...one.state, total_amount: one.state.total_amount % 5_000 } })),
  { minLength: 4, maxLength: 15, size: 'max' },
)

/** Points that a player gets at a moment. */
type Move = Readonly<{ userId: string; points: bigint; counts: boolean; at: string }>

function replay(program: Program, { prefix, begins, clock }: World, wires: readonly object[]): Move[] {
  const startsAt = new Date(begins).toISOString()
  const { Gender, Country, District, DOB } = aPlayer()
  const [outcome] = tryCases(programIn(sourceOf(program)), {
    startsAt,
    catalogue: new Map(['tea', 'cup', 'pot'].map((sku, index) => [sku, BigInt(index + 2) * 10_000n])),
    players: PLAYERS.map((name) => ({
      userId: prefix + name,
      profile: {
        region: 'Kerala',
        district: District,
        country: Country,
        gender: Gender,
        dateOfBirth: DOB.split('-').reverse().join('-'),
      },
      referralCode: prefix + CODES[name],
      points: 0n,
      counts: true,
    })),
    cases: [{ name: 'all', steps: wires.map((wire) => ({ order: readOrder(wire, 'data', clock.now) })) }],
  })
  return outcome!.steps.flatMap((each): Move[] => {
    assert('prediction' in each)
    const { userId, at } = each.order
    const { points, referrer } = each.prediction
    return [{ userId, points, counts: true, at: at! }, ...(referrer === undefined ? [] : [{ ...referrer, at: at! }])]
  })
}

/** The number of players on each level: those of this world from the replay, all others from the ledger. */
async function levelsAfter(
  app: TestApp,
  { other, replayed, prefix, to }: { other: Program; replayed: readonly Move[]; prefix: string; to: string },
): Promise<number[]> {
  const months = typeof other.counts === 'string' ? '2000' : other.counts.window.slice(1, -1)
  const [{ since }] = (await app.query(
    `select (timestamp '${to.slice(0, -1)}' - interval '${months} months')::text || 'Z' as since`,
  )) as [{ since: string }]
  const accounts = await app.query(`
    select user_id, coalesce(sum(points) filter (where counts and at > '${since}'), 0)::text as counted
    from entries where at < '${to}' group by user_id`)
  const sums = new Map(accounts.map(({ user_id, counted }) => [user_id as string, BigInt(counted as string)]))
  for (const name of PLAYERS) if (sums.has(prefix + name)) sums.set(prefix + name, 0n)
  // A player who gets points for a referral has an account from then on.
  for (const { userId, points, counts, at } of replayed.filter(({ points }) => points !== 0n))
    sums.set(userId, (sums.get(userId) ?? 0n) + (counts && at > new Date(since).toISOString() ? points : 0n))
  const places = [...sums.values()].map((sum) =>
    Math.max(
      0,
      LADDER.findLastIndex((from) => from <= sum),
    ),
  )
  return LADDER.map((_, place) => places.filter((one) => one === place).length)
}

/** A program whose second level is reached by anyone who has earned anything. */
function laddered(counts: string): string {
  return STARTER_PROGRAM.replace('lifetime', counts).replace('from: 500', 'from: 1')
}

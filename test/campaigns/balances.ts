/*
 * The balances campaign: generated histories of points that are pending, expire, are held and pay orders, recorded as the service records them.
 * After every step the prediction has come true, resending changes nothing, no more is spent than there is, and every balance matches a plain
 * day-by-day count that shares no code with the engine. In the end the same states arrive in other orders, with the same balance on every day.
 * `npm run campaign:balances -- --histories 20000 --seed 7` fails at the first history that differs, and shrinks it.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { adjust } from '../../src/engine/points/ledger/adjust.ts'
import type { OrderRefusal } from '../../src/engine/points/ledger/evaluate-order.ts'
import { redeem } from '../../src/engine/points/ledger/hold-or-redeem.ts'
import {
  addPendingChange,
  createPendingLedger,
  type LedgerChange,
  redemptionsIn,
  withPending,
} from '../../src/engine/points/ledger/pending-ledger.ts'
import { predictedBalance } from '../../src/engine/points/ledger/predicted-balance.ts'
import { previewOrder, recordOrders } from '../../src/engine/points/ledger/record.ts'
import type { RedeemCommand } from '../../src/engine/points/ledger/redemptions.ts'
import { EMPTY_HISTORY } from '../../src/engine/points/ledger/snapshot.ts'
import { localDay } from '../../src/engine/points/local-time.ts'
import { balanceOn } from '../../src/engine/points/lots/balance.ts'
import { toMovement } from '../../src/engine/points/lots/movement.ts'
import type { Entry, Redemption, SentOrder } from '../../src/engine/points/model.ts'
import { expiryAssignmentsOf } from '../../src/engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../../src/engine/points/program-model.ts'
import { type PlainBalance, type PlainDebit, plainBalance, plainDayAfter } from '../support/plain-balance.ts'
import { accountOf, published, snapshotOf } from '../support/points.ts'
import { campaignCommand, wholeFrom } from './arguments.ts'

export type BalancesCampaign = Readonly<{ histories: number; seed: number; say: (line: string) => void }>

/** In a leap year, and such that long histories include clock changes in Berlin and New York. */
const START_MS = Date.parse('2028-01-20T21:30:00Z')
const DAY_MS = 86_400_000
const CENT = 10_000n

/** Programs in time zones from one side of the date line to the other. */
const aProgram = fc.record({
  zone: fc.constantFrom('UTC', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Etc/GMT+12', 'Europe/Berlin', 'America/New_York'),
  pending: fc.constantFrom(undefined, { days: 0 }, { days: 3 }, { days: 2, after: 'fulfilled' }),
  expire: fc.constantFrom(
    undefined,
    { after: 'P5D' },
    { after: 'P1M', 'at-end-of': 'month' },
    { after: 'P20D' },
    { inactive: 'P6D' },
  ),
  overdraft: fc.constantFrom(0, 0, 20),
  givenBack: fc.constantFrom(undefined, 'P4D'),
  hold: fc.constantFrom('PT15M', 'P2D'),
})

/** Few ids, so that many steps concern an existing order or redemption. */
const anOrderId = fc.integer({ min: 0, max: 5 })
const aTill = fc.integer({ min: 0, max: 3 })

const aStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 200 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('order' as const),
      id: anOrderId,
      amount: fc.integer({ min: 0, max: 80 }),
      redeemed: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 })),
      /** The till whose hold the order uses. */
      till: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: aTill }),
      lateDays: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }) },
      ),
      status: fc.constantFrom('placed', 'placed', 'placed', 'cancelled', 'returned'),
      keepsMoment: fc.boolean(),
      fulfilled: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('adjust' as const), points: fc.integer({ min: -40, max: 90 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom('hold' as const, 'hold' as const, 'spend' as const, 'confirm' as const, 'void' as const),
      till: aTill,
      points: fc.integer({ min: 1, max: 40 }),
    }),
  },
)

/** Which order's next state arrives: each number chooses among the orders that have any left. */
const anArrival = fc.array(fc.nat({ max: 2 ** 16 }), { minLength: 30, maxLength: 30 })

/** `arrivals`: those that were compared with the one that happened. */
type Tally = { steps: number; redeemed: number; held: number; refused: number; arrivals: number }

/** Runs histories of at most 30 steps. Throws at the first difference. */
export function runBalancesCampaign({ histories, seed, say }: BalancesCampaign): void {
  const total: Tally = { ...NOTHING }
  fc.assert(
    fc.property(
      aProgram,
      fc.array(aStep, { minLength: 8, maxLength: 30, size: 'max' }),
      fc.array(anArrival, { minLength: 2, maxLength: 2 }),
      (parts, steps, arrivals) => {
        const world = createWorld(programOf(parts), BigInt(parts.overdraft), total)
        for (const step of steps) {
          total.steps += 1
          take(world, step)
          compareBalances(world)
        }
        checkArrivals(world, parts, arrivals)
      },
    ),
    { numRuns: histories, seed, endOnFailure: false },
  )
  say(
    `${histories} histories, ${total.steps} steps: ${total.redeemed} orders paid with points, ${total.held} redemptions without an order, ${total.refused} refused, ${total.arrivals} other orders of arrival; every prediction came true, every balance matches the plain count and is the same in every order of arrival`,
  )
  assert(total.arrivals >= histories, 'too few orders of arrival could be compared')
}

const NOTHING: Tally = { steps: 0, redeemed: 0, held: 0, refused: 0, arrivals: 0 }

type Parts = (typeof aProgram extends fc.Arbitrary<infer T> ? Omit<T, 'overdraft'> : never) & { overdraft: number }
type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never
type OrderStep = Extract<Step, { act: 'order' }>
type TillStep = Extract<Step, { till: number; points: number }>

function programOf({ zone, pending, expire, overdraft, givenBack, hold }: Parts): PublishedProgram {
  const isFulfilled = pending?.after === 'fulfilled' && expire !== undefined && 'inactive' in expire
  const waits = isFulfilled ? undefined : pending
  return published({
    'time-zone': zone,
    ...(waits === undefined && expire === undefined ? {} : { points: { pending: waits, expire } }),
    redeem: { value: { points: 1, pays: 1 }, overdraft, hold, 'part-paid-earns': true, 'given-back': givenBack },
  })
}

type World = ReturnType<typeof createWorld>

/** The records of one player. */
function createWorld(program: PublishedProgram, overdraft: bigint, tally: Tally) {
  const pending = createPendingLedger()
  const entries: Entry[] = []
  const accepted: SentOrder[] = []
  const snapshot = snapshotOf({ accounts: new Map([['asha', accountOf()]]), history: () => EMPTY_HISTORY })
  const clock = { nowMs: START_MS }
  return {
    ...{ program, overdraft, tally, clock, accepted },
    ...{
      redemption: (id: string) => pending.redemptions.get('asha')?.get(id),
      redemptions: () => redemptionsIn(pending),
    },
    ledger: withPending(snapshot, pending),
    entries: (): readonly Entry[] => entries,
    record: (change: LedgerChange): void => {
      addPendingChange(pending, change)
      entries.push(...change.entries)
    },
    now: () => new Date(clock.nowMs).toISOString(),
    today: () => localDay(new Date(clock.nowMs).toISOString(), program.program.timeZone),
    /** Open holds, except one. */
    holds: (but?: string): PlainDebit[] =>
      redemptionsIn(pending)
        .filter(
          ({ id, state, heldUntil = '' }) =>
            id !== but && state === 'held' && heldUntil > new Date(clock.nowMs).toISOString(),
        )
        .map(({ heldOn, points }) => ({ day: heldOn, points })),
  }
}

function take(world: World, step: Step): void {
  if (step.act === 'wait') world.clock.nowMs += 'days' in step ? step.days * DAY_MS + 3_600_000 : step.minutes * 60_000
  else if (step.act === 'adjust') {
    const id = `a-${world.entries().length}-${world.clock.nowMs}`
    const one = { id, userId: 'asha', points: BigInt(step.points), counts: false, reason: 'r' }
    const booking = { at: world.now(), day: world.today(), program: world.program.program }
    world.record({
      ...adjust([one], { accounts: world.ledger.accounts, made: new Map() }, booking),
      orders: new Map(),
    })
  } else if (step.act === 'order') takeOrder(world, step)
  else takeRedemption(world, step)
}

function takeOrder(world: World, step: OrderStep): void {
  const { ledger, program, tally } = world
  const [now, today] = [world.now(), world.today()]
  const before = ledger.orders.get(`o-${step.id}`)
  const known = before !== undefined && 'facts' in before ? before : undefined
  const order = orderOf(world, step, known?.order.at)
  const others = world.entries().filter((entry) => entry.order?.id !== order.id || entry.kind === 'reinstated')
  const { preview } = previewOrder(order, ledger, [program], now)
  const recording = recordOrders([order], ledger, [program], now)
  const verdict = recording.verdicts[0]!
  assert.deepEqual(
    'refused' in preview ? preview.refused : preview.prediction,
    'refused' in verdict ? verdict.refused : verdict.prediction,
  )
  const recorded = known?.order.status === 'placed' ? (known.order.pointsRedeemed ?? 0n) : 0n
  const redeemed = step.status === 'placed' ? (order.pointsRedeemed ?? recorded) : 0n
  const rises = redeemed > recorded
  if ('refused' in preview || 'refused' in verdict) {
    tally.refused += 1
    const isMoved = known !== undefined && order.at !== known.order.at && redeemed > 0n
    assert.ok(rises || isMoved || order.redemptionId !== undefined, 'only an increase, a move or a hold can be refused')
    if ('refused' in preview) checkMost(world, order, preview.refused)
    return
  }
  // A state that does not mention it leaves it as recorded.
  const hold = world.redemption(preview.order.redemptionId ?? '')
  const free = world.holds(hold?.id)
  const spending = recording.entries.findLast(({ kind, points }) => kind === 'redemption' && points < 0n)
  if (rises) tally.redeemed += 1
  const isCovered = hold?.state === 'held' && hold.heldUntil! > now && hold.points >= redeemed
  // The last of two entries is on a new spending day.
  if (spending?.day !== undefined && !isCovered) {
    const debit = { day: spending.day, points: redeemed }
    const until = latest(today, others, debit.day, ...free.map(({ day }) => day))
    for (let day = debit.day; day <= until; day = plainDayAfter(day, 1)) {
      const { available } = plainCount(others, day, [...free, debit])
      assert.ok(available >= -world.overdraft, `order ${order.id} leads to ${available} on ${day}`)
    }
  }
  const histories = { complete: historyOf(world, ''), withoutOrder: historyOf(world, order.id) }
  const predicted = predictedBalance(preview, histories, [program], now).after
  world.record(recording)
  world.accepted.push(order)
  const held = world.holds()
  const view = latest(today, world.entries(), ...held.map(({ day }) => day))
  const { available, pending } = plainCount(world.entries(), view, held)
  const sum = held.reduce((total, { points }) => total + points, 0n)
  assert.deepEqual(
    { available: predicted.available, pending: predicted.pending, held: predicted.held },
    { available: available + sum, pending, held: sum },
    `what ${order.id} was predicted to leave`,
  )
  const again = recordOrders([order], ledger, [program], now)
  assert.deepEqual([again.verdicts.map((one) => 'done' in one && one.done), again.entries], [['unchanged'], []])
}

/** The number that a refusal names can be redeemed. */
function checkMost({ ledger, program, now }: World, order: SentOrder, refused: OrderRefusal): void {
  if (typeof refused === 'string' || refused.kind !== 'not-enough' || refused.most === 0n) return
  const { preview } = previewOrder({ ...order, pointsRedeemed: refused.most }, ledger, [program], now())
  assert.ok(!('refused' in preview), `${refused.most} points, which a refusal named`)
}

function orderOf(world: World, step: OrderStep, recordedAt: string | undefined): SentOrder {
  const { id, amount, redeemed, till, lateDays, keepsMoment, fulfilled, status } = step
  const at =
    recordedAt !== undefined && keepsMoment ? recordedAt : new Date(world.clock.nowMs - lateDays * DAY_MS).toISOString()
  return {
    ...{ id: `o-${id}`, userId: 'asha', lines: [], total: BigInt(amount) * CENT, discount: 0n, at, status },
    ...{ referralCode: '', subscriptPoints: false },
    // A state that leaves it out redeems what is recorded.
    ...(redeemed === 0 && keepsMoment ? {} : { pointsRedeemed: BigInt(redeemed) }),
    ...(redeemed === 0 || till === undefined ? {} : { redemptionId: `r-${till}` }),
    ...(fulfilled ? { fulfilledAt: world.now() } : {}),
  }
}

function takeRedemption(world: World, { act, till, points }: TillStep): void {
  const { ledger, program, tally } = world
  const id = `r-${till}`
  const command: RedeemCommand =
    act === 'confirm' || act === 'void'
      ? { act, id, reason: 'r' }
      : { act: 'redeem', id, points: BigInt(points), hold: act === 'hold', reason: 'r' }
  const known = () => ({
    ...{ userId: 'asha', account: ledger.accounts.get('asha')!, history: historyOf(world, ''), published: program },
    ...{
      programs: [program],
      expiryAssignments: expiryAssignmentsOf([program]),
      now: world.now(),
      today: world.today(),
      by: 't',
    },
  })
  const found: Redemption | undefined = world.redemption(id)
  const wasLiving = found?.state === 'held' && found.heldUntil! > world.now()
  const verdict = redeem(command, known())
  if ('refused' in verdict) {
    tally.refused += 1
    return
  }
  world.record(verdict.change)
  if (verdict.done === 'changed' && act !== 'void') {
    tally.held += 1
    const held = world.holds()
    const view = latest(world.today(), world.entries(), ...held.map(({ day }) => day))
    const { available } = plainCount(world.entries(), view, held)
    assert.ok(wasLiving || available >= -world.overdraft, `${act} of ${id} leads to ${available}`)
  }
  const again = redeem(command, known())
  if (act !== 'hold' || 'done' in again)
    assert.equal('done' in again && again.done, 'unchanged', `${act} of ${id} again`)
}

/** The history that the store would read for an order. */
function historyOf(world: World, orderId: string) {
  const isOwn = ({ order, kind }: Entry) => order !== undefined && order.id === orderId && kind !== 'reinstated'
  const own = new Map<string, bigint>()
  for (const entry of world.entries())
    if (isOwn(entry) && entry.kind === 'redemption') own.set(entry.day!, (own.get(entry.day!) ?? 0n) - entry.points)
  return {
    movements: world
      .entries()
      .filter((entry) => !isOwn(entry))
      .map(toMovement),
    own: [...own].map(([day, points]) => ({ day, points })),
    reinstated: world.entries().reduce((sum, { kind, points }) => (kind === 'reinstated' ? sum + points : sum), 0n),
    redemptions: world.redemptions(),
  }
}

/**
 * All accepted states arrive anew, as they came and in other orders: those of one order in their sequence, those of different orders anyhow. Where all
 * are accepted and the days of spending are equal, balances must be the same on every day.
 */
function checkArrivals(world: World, parts: Parts, choices: readonly (readonly number[])[]): void {
  // What is given back after its expiry depends on what had been recorded by then.
  const program = programOf({ ...parts, overdraft: 1_000_000, givenBack: undefined })
  // A hold can end before a state arrives; what it covers is spent without it.
  const states = world.accepted.map(({ redemptionId: _, ...order }): SentOrder => order)
  const now = world.now()
  const came = recordAll(states, program, now)
  if (came === undefined) return
  const spent = spendingOf(came)
  const backwards = [...Map.groupBy(states, ({ id }) => id).values()].reverse().flat()
  for (const arrival of [backwards, ...choices.map((choice) => rearranged(states, choice))]) {
    const other = recordAll(arrival, program, now)
    if (other === undefined || !isDeepStrictEqual(spendingOf(other), spent)) continue
    world.tally.arrivals += 1
    const days = [...came, ...other].flatMap(({ day, terms }) => [day!, terms?.usableOn, terms?.expiresOn])
    const known = days.filter((day) => day !== undefined && day !== 'infinity').sort() as string[]
    const last = plainDayAfter(known.at(-1) ?? world.today(), 40)
    for (let day = plainDayAfter(known[0] ?? last, -1); day <= last; day = plainDayAfter(day, 1))
      assert.deepEqual(
        viewOn(day, other, program),
        viewOn(day, came, program),
        `in another order of arrival, on ${day}`,
      )
  }
}

/** The entries of these states, recorded one after the other; undefined if one is refused. */
function recordAll(states: readonly SentOrder[], program: PublishedProgram, now: string): readonly Entry[] | undefined {
  const world = createWorld(program, 0n, { ...NOTHING })
  for (const state of states) {
    const recording = recordOrders([state], world.ledger, [program], now)
    if ('refused' in recording.verdicts[0]!) return undefined
    world.record(recording)
  }
  return world.entries()
}

function rearranged(states: readonly SentOrder[], choice: readonly number[]): readonly SentOrder[] {
  const left = [...Map.groupBy(states, ({ id }) => id).values()]
  return states.map((_, index) => {
    const place = choice[index % choice.length]! % left.length
    const next = left[place]!.shift()!
    if (left[place]!.length === 0) left.splice(place, 1)
    return next
  })
}

/** The points that each order spends, by the day. */
function spendingOf(entries: readonly Entry[]): ReadonlyMap<string, bigint> {
  const spent = new Map<string, bigint>()
  for (const { kind, order, day, points } of entries)
    if (kind === 'redemption') spent.set(`${order?.id} ${day}`, (spent.get(`${order?.id} ${day}`) ?? 0n) + points)
  return new Map([...spent].filter(([, points]) => points !== 0n).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function viewOn(day: string, entries: readonly Entry[], program: PublishedProgram) {
  const movements = entries.map(toMovement).filter((movement) => movement.day <= day)
  return balanceOn(day, movements, expiryAssignmentsOf([program]))
}

/** Compares balances on five days from today on. */
function compareBalances(world: World): void {
  const entries = world.entries()
  const first = latest(world.today(), entries)
  for (const ahead of [0, 1, 4, 12, 60]) {
    const day = plainDayAfter(first, ahead)
    const { available, pending, expired } = balanceOn(
      day,
      entries.map(toMovement),
      expiryAssignmentsOf([world.program]),
    )
    assert.deepEqual({ available, pending, expired }, plainCount(entries, day, []), `on ${day}`)
    const booked = entries.reduce((sum, { points }) => sum + points, 0n)
    assert.equal(available + pending + expired, booked)
  }
}

function latest(today: string, entries: readonly Entry[], ...days: readonly string[]): string {
  return [today, ...entries.map(({ day }) => day!), ...days].sort().at(-1)!
}

/** The plain count, which shares no code with the engine. */
function plainCount(entries: readonly Entry[], until: string, debits: readonly PlainDebit[]): PlainBalance {
  const isSpent = ({ kind, points }: Entry) => kind === 'redemption' || (kind === 'adjustment' && points < 0n)
  const [spent, given] = [entries.filter(isSpent), entries.filter((entry) => !isSpent(entry))]
  return plainBalance(
    until,
    given.map(({ day = '', terms, points }) => {
      const { usableOn = day, expiresOn = 'infinity', slides = false } = terms ?? {}
      return { day, usable: usableOn, ends: expiresOn, slides, points }
    }),
    [...spent.map(({ day = '', points }) => ({ day, points: -points })), ...debits],
    entries.flatMap(({ day = '', terms }) => (terms?.slides ? [{ day, ends: terms.expiresOn }] : [])),
  )
}

if (import.meta.main) {
  const { histories, seed } = campaignCommand(
    'balances',
    'Records histories of points that are pending, expire and are spent, and checks them by a plain count.',
  )
    .option('--histories <count>', 'number of histories', wholeFrom(1), 20_000)
    .option('--seed <number>', 'the same seed generates the same histories', wholeFrom(0), 1)
    .parse()
    .opts<{ histories: number; seed: number }>()
  runBalancesCampaign({ histories, seed, say: console.log })
}

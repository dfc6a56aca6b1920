/*
 * The balances campaign: generated histories of orders that wait, end and are paid with points, recorded as the service records them. After every
 * step what was predicted is what was recorded, and every balance is that of a plain day-by-day count that shares no code with the engine.
 * `npm run campaign:balances -- --histories 20000 --seed 7` fails at the first history that differs, and shows the shortest.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { adjust } from '../../src/points/ledger/adjust.ts'
import { addToOverlay, createOverlay, withOverlay } from '../../src/points/ledger/overlay.ts'
import { previewOrder, recordOrders } from '../../src/points/ledger/record.ts'
import { dayAfter, localDay } from '../../src/points/local-time.ts'
import { balanceOn, lateEndsOf, movementOf } from '../../src/points/lots.ts'
import type { Entry, SentOrder } from '../../src/points/model.ts'
import type { PublishedProgram } from '../../src/points/program-model.ts'
import { accountOf, published, snapshotOf } from '../support/points.ts'
import { campaignCommand, wholeFrom } from './arguments.ts'

export type BalancesCampaign = Readonly<{ histories: number; seed: number; say: (line: string) => void }>

const START_MS = Date.parse('2026-01-20T21:30:00Z')
const DAY_MS = 86_400_000
const CENT = 10_000n

/** Programs of one zone: what is known of days must hold at both ends of the world. */
const aProgram = fc.record({
  zone: fc.constantFrom('UTC', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Etc/GMT+12', 'Europe/Berlin'),
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
})

const aStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('order' as const),
      /** Small, so that many steps are about an order that is there. */
      id: fc.integer({ min: 0, max: 5 }),
      amount: fc.integer({ min: 0, max: 80 }),
      redeemed: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 70 })),
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
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('adjust' as const), points: fc.integer({ min: -40, max: 60 }) }),
  },
)

type Made = Readonly<{ steps: number; redeemed: number; refused: number }>

/** Runs so many histories of 30 steps at most. Rejects at the first difference. */
export function runBalancesCampaign({ histories, seed, say }: BalancesCampaign): void {
  const total = { steps: 0, redeemed: 0, refused: 0 }
  fc.assert(
    fc.property(aProgram, fc.array(aStep, { minLength: 8, maxLength: 30, size: 'max' }), (parts, steps) => {
      const { steps: taken, redeemed, refused } = runHistory(programOf(parts), steps, BigInt(parts.overdraft))
      total.steps += taken
      total.redeemed += redeemed
      total.refused += refused
    }),
    { numRuns: histories, seed, endOnFailure: false },
  )
  say(
    `${histories} histories, ${total.steps} steps: ${total.redeemed} redemptions taken, ${total.refused} refused; every prediction came true, every balance is the plain count's`,
  )
}

type Parts = typeof aProgram extends fc.Arbitrary<infer T> ? T : never
type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never

function programOf({ zone, pending, expire, overdraft, givenBack }: Parts): PublishedProgram {
  const isFulfilled = pending?.after === 'fulfilled' && expire !== undefined && 'inactive' in expire
  const waits = isFulfilled ? undefined : pending
  return published({
    'time-zone': zone,
    ...(waits === undefined && expire === undefined ? {} : { points: { pending: waits, expire } }),
    redeem: { value: { points: 1, pays: 1 }, overdraft, 'part-paid-earns': true, 'given-back': givenBack },
  })
}

function runHistory(program: PublishedProgram, steps: readonly Step[], overdraft: bigint): Made {
  const overlay = createOverlay()
  const empty = { movements: [], own: [], redemptions: [] }
  const ledger = withOverlay(
    snapshotOf({
      accounts: new Map([['asha', accountOf()]]),
      histories: { get: () => empty, has: () => true },
    }),
    overlay,
  )
  const made = { steps: 0, redeemed: 0, refused: 0 }
  let nowMs = START_MS
  for (const [place, step] of steps.entries()) {
    made.steps += 1
    const now = new Date(nowMs).toISOString()
    const today = localDay(now, program.program.timeZone)
    if (step.act === 'wait') nowMs += step.days * DAY_MS + 3_600_000
    else if (step.act === 'adjust') {
      const one = { id: `a-${place}`, userId: 'asha', points: BigInt(step.points), counts: false, reason: 'r' }
      const booking = { at: now, day: today, program: program.program }
      addToOverlay(overlay, {
        ...adjust([one], { accounts: ledger.accounts, made: new Map() }, booking),
        orders: new Map(),
      })
    } else {
      const before = ledger.orders.get(`o-${step.id}`)
      const known = before !== undefined && 'facts' in before ? before : undefined
      const at =
        known !== undefined && step.keepsMoment
          ? known.order.at
          : new Date(nowMs - step.lateDays * DAY_MS).toISOString()
      const order: SentOrder = {
        ...{ id: `o-${step.id}`, userId: 'asha', lines: [], total: BigInt(step.amount) * CENT, discount: 0n, at },
        ...{ referralCode: '', subscriptPoints: false, status: step.status },
        ...(step.redeemed === 0 ? {} : { pointsRedeemed: BigInt(step.redeemed) }),
        ...(step.fulfilled ? { fulfilledAt: now } : {}),
      }
      const { preview } = previewOrder(order, ledger, [program], now)
      const recording = recordOrders([order], ledger, [program], now)
      const verdict = recording.verdicts[0]!
      assert.deepEqual(
        'refused' in preview ? preview.refused : preview.prediction,
        'refused' in verdict ? verdict.refused : verdict.prediction,
      )
      const redeemed = step.status === 'placed' ? BigInt(step.redeemed) : 0n
      const rises = redeemed > (known?.order.status === 'placed' ? (known.order.pointsRedeemed ?? 0n) : 0n)
      if ('refused' in verdict) {
        made.refused += 1
        assert.ok(rises, 'only more points are refused')
      } else if (rises) {
        made.redeemed += 1
        const others = (ledger.entriesOf.get('asha') ?? []).filter(
          (entry) => entry.order?.id !== order.id || entry.kind === 'reinstated',
        )
        const own = recording.entries.find(({ kind }) => kind === 'redemption')
        const debit = { day: own?.day ?? today, points: redeemed }
        const { available } = plainCount(others, latest(today, others, debit.day), [debit])
        assert.ok(available >= -overdraft, `order ${order.id} leads to ${available}`)
      }
      addToOverlay(overlay, recording)
    }
    compareBalances(ledger.entriesOf.get('asha') ?? [], program, today)
  }
  return made
}

/** On five days, today and later. */
function compareBalances(entries: readonly Entry[], program: PublishedProgram, today: string): void {
  const first = latest(today, entries)
  for (const ahead of [0, 1, 4, 12, 60]) {
    const day = dayAfter(first, ahead)
    const { available, pending, expired } = balanceOn(day, entries.map(movementOf), lateEndsOf([program]))
    assert.deepEqual({ available, pending, expired }, plainCount(entries, day, []), `on ${day}`)
    const booked = entries.reduce((sum, { points }) => sum + points, 0n)
    assert.equal(available + pending + expired, booked)
  }
}

function latest(today: string, entries: readonly Entry[], ...days: readonly string[]): string {
  return [today, ...entries.map(({ day }) => day!), ...days].sort().at(-1)!
}

type Count = Readonly<{ available: bigint; pending: bigint; expired: bigint }>

/** Day by day, point by point: the definition of decision 138, written down once more. */
function plainCount(
  entries: readonly Entry[],
  until: string,
  debits: readonly Readonly<{ day: string; points: bigint }>[],
): Count {
  const isSpent = ({ kind, points }: Entry) => kind === 'redemption' || (kind === 'adjustment' && points < 0n)
  const lots = new Map<string, { day: string; usable: string; ends: string; slides: boolean; left: bigint }>()
  for (const entry of entries) {
    if (isSpent(entry)) continue
    const { day = '', terms } = entry
    const lot = {
      ...{
        day,
        usable: terms?.usableOn ?? day,
        ends: terms?.expiresOn ?? 'infinity',
        slides: terms?.slides ?? false,
        left: 0n,
      },
    }
    const key = JSON.stringify([lot.day, lot.usable, lot.ends, lot.slides])
    const kept = lots.get(key) ?? lot
    kept.left += entry.points
    lots.set(key, kept)
  }
  const all = [...lots.values()].sort((a, b) =>
    a.ends < b.ends ? -1 : a.ends > b.ends ? 1 : Number(a.slides) - Number(b.slides),
  )
  const spentOn = (day: string) =>
    entries.filter((entry) => isSpent(entry) && entry.day === day).reduce((sum, { points }) => sum - points, 0n) +
    debits.filter((debit) => debit.day === day).reduce((sum, { points }) => sum + points, 0n)
  let owed = 0n
  const begin = [...entries.map(({ day }) => day!), ...debits.map(({ day }) => day), until].sort()[0]!
  for (let day = begin; day <= until; day = dayAfter(day, 1)) {
    for (const lot of all)
      if (lot.usable === day) {
        const paid = owed < lot.left ? owed : lot.left
        owed -= paid
        lot.left -= paid
      }
    for (const { day: on, terms } of entries)
      if (on === day && terms?.slides && terms.expiresOn !== 'infinity')
        for (const lot of all)
          if (lot.slides && lot.usable <= day && lot.ends > day && lot.ends < terms.expiresOn)
            lot.ends = terms.expiresOn
    let missing = spentOn(day)
    const living = all
      .filter((lot) => lot.usable <= day && lot.ends > day)
      .sort((a, b) => (a.ends < b.ends ? -1 : a.ends > b.ends ? 1 : Number(a.slides) - Number(b.slides)))
    for (const lot of living) {
      const drawn = missing < lot.left ? missing : lot.left
      lot.left -= drawn
      missing -= drawn
    }
    owed += missing
  }
  const sum = (matching: (lot: { usable: string; ends: string }) => boolean) =>
    all.filter(matching).reduce((total, { left }) => total + left, 0n)
  return {
    available: sum(({ usable, ends }) => usable <= until && ends > until) - owed,
    pending: sum(({ usable }) => usable > until),
    expired: sum(({ usable, ends }) => usable <= until && ends <= until),
  }
}

if (import.meta.main) {
  const { histories, seed } = campaignCommand(
    'balances',
    'Records histories of points that wait, end and are spent, and counts again.',
  )
    .option('--histories <count>', 'how many', wholeFrom(1), 20_000)
    .option('--seed <number>', 'the same seed makes the same', wholeFrom(0), 1)
    .parse()
    .opts<{ histories: number; seed: number }>()
  runBalancesCampaign({ histories, seed, say: console.log })
}

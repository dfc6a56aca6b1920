/*
 * What a change to the ledger adds to the statistics (docs/statistics.md). Pure: src/ledger writes it together with the change.
 */
import type { Ratio } from '../arithmetic.ts'
import type { Entry, Prediction } from '../model.ts'
import { REFERRAL } from '../referral.ts'
import type { PlainDate, Points } from '../units.ts'
import type { LedgerBefore } from './consistency.ts'
import type { LedgerChange } from './pending-ledger.ts'

/** A count of things of one kind, and their total points in millionths. `program` is 0 where no program is involved. */
export type LedgerTally = Readonly<{
  day: PlainDate
  bookedDay: PlainDate
  measure: LedgerMeasure
  program: number
  key: string
  n: number
  micros: bigint
}>

/** The measures of the ledger. The meaning of `key` is given in brackets. */
export const LEDGER_MEASURES = [
  /** Entries above 0, except those of redemptions (kind). */
  'issued',
  /** Other entries below 0 (kind). */
  'taken-back',
  /** Adjustments below 0, and redemptions less what they gave back (kind). */
  'spent',
  /** First recordings, with their points. */
  'orders',
  /** What revisions did, including the first (change). */
  'revisions',
  /** First recordings of 0 points (reason). */
  'nothing',
  /** What first recordings earned (rule), what rounding added, and what the referral gave the referred player. */
  'rule',
  'rounding',
  'referral',
  /** The points that later revisions of orders changed. */
  'later',
  /** First recordings, with the points of all revisions, of orders that are counted by an attribute (its value; empty if the order had none). */
  'attribute',
  /** First recordings that lead to another level (before, tab, after). */
  'level',
  /** The changes in the sums of positive and of negative balances. */
  'balance',
  'debts',
] as const
export type LedgerMeasure = (typeof LEDGER_MEASURES)[number]

export const MICROS_PER_POINT = 1_000_000n

/** Counts the entries of a change, all of which must have days. The result is small: a line for each pair of days, measure, program and key. */
export function tallyEntries({ entries }: LedgerChange, before: Pick<LedgerBefore, 'accounts'>): LedgerTally[] {
  const tallies = createTallies()
  const balances = new Map<string, Points>()
  for (const [index, entry] of entries.entries()) {
    const { userId, kind, points, order } = entry
    const add = tallies.on(entry.day!, entry.bookedDay!, order?.program ?? 0)
    if (points !== 0n) add(classifyEntry(entry), kind, 1, points * MICROS_PER_POINT)
    if (order !== undefined && kind === 'order') {
      const isFirst = order.revision === 1n
      if (isFirst) addFirst(add, points, order.prediction!)
      else if (points !== 0n) add('later', '', 1, points * MICROS_PER_POINT)
      const by = order.prediction?.statisticsBy
      if (by !== undefined && (isFirst || points !== 0n))
        add('attribute', by, isFirst ? 1 : 0, points * MICROS_PER_POINT)
      if (isLastOfRevision(entry, entries[index + 1])) add('revisions', order.change!, 1, 0n)
    }
    const balance = balances.get(userId) ?? before.accounts.get(userId)?.points ?? 0n
    balances.set(userId, balance + points)
    const owed = above0(balance + points) - above0(balance)
    const addBooked = tallies.on(entry.bookedDay!, entry.bookedDay!, 0)
    if (owed !== 0n) addBooked('balance', '', 0, owed * MICROS_PER_POINT)
    if (owed !== points) addBooked('debts', '', 0, (points - owed) * MICROS_PER_POINT)
  }
  return tallies.list()
}

/** Points that a redemption gives back count as not spent. */
function classifyEntry({ kind, points }: Entry): LedgerMeasure {
  if (kind === 'redemption') return 'spent'
  if (points > 0n) return 'issued'
  return kind === 'adjustment' ? 'spent' : 'taken-back'
}

type Add = (measure: LedgerMeasure, key: string, n: number, micros: bigint) => void

/** Rules, rounding and referral add up exactly to the points of a first recording, although each rule is kept to only six decimals. */
function addFirst(add: Add, points: Points, { earned, level, nothing }: Prediction): void {
  add('orders', '', 1, points * MICROS_PER_POINT)
  if (nothing !== undefined) add('nothing', nothing, 1, 0n)
  let rest = points * MICROS_PER_POINT
  for (const { rule, points: exact } of earned) {
    const micros = microsOf(exact)
    rest -= micros
    if (rule === REFERRAL) add('referral', '', 1, micros)
    else add('rule', rule, 1, micros)
  }
  if (rest !== 0n) add('rounding', '', 1, rest)
  if (level.before !== level.after) add('level', `${level.before}\t${level.after}`, 1, 0n)
}

/** A player's entries of a revision are adjacent. */
function isLastOfRevision({ order }: Entry, next: Entry | undefined): boolean {
  return next?.kind !== 'order' || next.order?.id !== order?.id || next.order?.revision !== order?.revision
}

/** Rounded to the nearest millionth, half away from 0. */
function microsOf({ num, den }: Ratio): bigint {
  const doubled = 2n * (num < 0n ? -num : num) * MICROS_PER_POINT + den
  const micros = doubled / (2n * den)
  return num < 0n ? -micros : micros
}

function above0(points: Points): Points {
  return points > 0n ? points : 0n
}

function createTallies() {
  const byDays = new Map<string, Map<string, { -readonly [Field in keyof LedgerTally]: LedgerTally[Field] }>>()
  return {
    on: (day: PlainDate, postingDate: PlainDate, program: number): Add => {
      const place = `${day} ${postingDate} ${program}`
      const lines = byDays.get(place) ?? new Map()
      byDays.set(place, lines)
      return (measure, key, n, micros) => {
        const line = lines.get(`${measure} ${key}`)
        if (line === undefined)
          lines.set(`${measure} ${key}`, { day, bookedDay: postingDate, measure, program, key, n, micros })
        else {
          line.n += n
          line.micros += micros
        }
      }
    },
    list: (): LedgerTally[] => [...byDays.values()].flatMap((lines) => [...lines.values()]),
  }
}

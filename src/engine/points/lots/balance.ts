/*
 * A balance is a pure function of what was issued and spent, and of a day (decision 138). Its grain is the local day: within a day, the order of
 * arrival cannot matter. It is computed afresh from all entries each time (decision 138).
 */
import { type ExpiryAssignment, NEVER } from '../pending-and-expiry.ts'
import type { PlainDate, Points } from '../units.ts'
import { foldAll, foldUntil, type OpenLot } from './fold.ts'
import type { Movement } from './movement.ts'

/** Points that expire on the same day. `usableOn` is absent once they can be spent. */
export type Lot = Readonly<{ points: Points; usableOn?: PlainDate; expiresOn: PlainDate }>

/**
 * `available` is what is left of usable points, less what is owed: it is negative where more was spent or taken back than there was.
 * `available + pending + expired` is everything issued less everything spent. `lots` holds the spendable lots, earliest expiry first, then the
 * pending ones.
 */
export type Balance = Readonly<{ available: Points; pending: Points; expired: Points; lots: readonly Lot[] }>

/**
 * The balance on a day: what the fold of all movements leaves.
 *
 * Bounds  on every day, a credit of n that does not slide raises `available` by 0 to n, and a debit of m lowers it by 0 to m
 * Errors  AssertionError if anything is spent after `day`: see `dayOfView`
 * Source  decision 138
 */
export function balanceOn(
  day: PlainDate,
  movements: readonly Movement[],
  expiryAssignments: readonly ExpiryAssignment[],
): Balance {
  const { usable, expired, pending, debt } = foldAll(day, movements, expiryAssignments)
  return {
    available: sumOf(usable) - debt,
    pending: pending.reduce((sum, { points }) => sum + points, 0n),
    expired: sumOf(expired),
    lots: [
      ...merged(usable.map(({ until, rest }) => ({ points: rest, expiresOn: until }))),
      ...merged(pending.map(({ source: _, ...lot }) => lot)),
    ],
  }
}

/** The balance as of today, or as of the latest day with spending or with activity that extends expiries, if that is later. */
export function balanceAsOf(
  today: PlainDate,
  movements: readonly Movement[],
  expiryAssignments: readonly ExpiryAssignment[],
): Balance {
  return balanceOn(dayOfView(today, movements), movements, expiryAssignments)
}

/**
 * The day as of which a balance is computed: today, or the latest day with spending or with activity that extends expiries, if that is later. A day on
 * which all that was spent was given back has none, whether its movements are summed or not.
 */
export function dayOfView(today: PlainDate, movements: readonly Movement[]): PlainDate {
  let latest = today
  const spentOn = new Map<PlainDate, Points>()
  for (const { day, spent, slides } of movements) {
    if (day <= latest) continue
    if (slides) latest = day
    else if (spent !== 0n) spentOn.set(day, (spentOn.get(day) ?? 0n) + spent)
  }
  for (const [day, spent] of spentOn) if (spent > 0n && day > latest) latest = day
  return latest
}

/** The lots that a debit draws on, by expiry, as of the latest day of spending; whatever they do not cover is owed. */
export function lotsDrawn(
  debit: Movement,
  movements: readonly Movement[],
  expiryAssignments: readonly ExpiryAssignment[],
): Lot[] {
  const day = dayOfView(debit.day, movements)
  const spendable = (all: readonly Movement[]) =>
    balanceOn(day, all, expiryAssignments).lots.filter(({ usableOn }) => usableOn === undefined)
  const left = new Map(spendable([...movements, debit]).map(({ expiresOn, points }) => [expiresOn, points]))
  return spendable(movements)
    .map((lot) => ({ ...lot, points: lot.points - (left.get(lot.expiresOn) ?? 0n) }))
    .filter(({ points }) => points > 0n)
}

/**
 * The next day on which a balance as of `day` changes unless anything is issued or spent: when pending points become usable, when points expire, or
 * when points without an expiry are assigned one. May be early, never late; undefined if there is none.
 */
export function nextChangeOf(
  { lots }: Balance,
  day: PlainDate,
  expiryAssignments: readonly ExpiryAssignment[],
): PlainDate | undefined {
  const ofLots = lots.map(({ usableOn, expiresOn }) => usableOn ?? expiresOn)
  const ofAssignments = lots.some(({ expiresOn }) => expiresOn === NEVER) ? expiryAssignments.map(({ on }) => on) : []
  const coming = [...ofLots, ...ofAssignments].filter((one) => one !== NEVER && one > day)
  return coming.length === 0 ? undefined : coming.reduce((first, one) => (one < first ? one : first))
}

/**
 * Spending up to a day that the balance did not cover at the time: one sum for each day on which it happened. Returns and late orders change past
 * balances, so spending that was covered when it was made may no longer be.
 */
export function uncoveredUntil(
  day: PlainDate,
  movements: readonly Movement[],
  expiryAssignments: readonly ExpiryAssignment[],
): readonly Points[] {
  return foldUntil(day, movements, expiryAssignments).uncovered
}

/** Merges lots with the same days; they keep the order in which they come, which is that of their days. */
function merged(lots: readonly Lot[]): Lot[] {
  const byDays = new Map<string, Lot>()
  for (const lot of lots) {
    const days = `${lot.usableOn ?? ''} ${lot.expiresOn}`
    byDays.set(days, { ...lot, points: lot.points + (byDays.get(days)?.points ?? 0n) })
  }
  return [...byDays.values()]
}

function sumOf(lots: readonly OpenLot[]): Points {
  return lots.reduce((sum, { rest }) => sum + rest, 0n)
}

/*
 * A balance is a pure function of what was issued and spent, and of a day (decision 138). Its grain is the local day: within a day, the order of
 * arrival cannot matter. It is computed afresh from all entries each time (decision 151).
 */
import assert from 'node:assert/strict'
import { compareValues } from './arithmetic.ts'
import { localDay } from './local-time.ts'
import type { Entry, Terms } from './model.ts'
import { expiryAfter, NEVER } from './point-terms.ts'
import type { Expiry, PublishedProgram } from './program-model.ts'
import type { Day, Points } from './units.ts'

/**
 * The sum of the entries of one local day that share the same terms. A single movement may be negative, where it takes points back; the sums over
 * movements of equal day and terms are never below 0.
 */
export type Movement = Terms & Readonly<{ day: Day; given: Points; spent: Points }>

/** Points that expire on the same day. `usableOn` is absent once they can be spent. */
export type Lot = Readonly<{ points: Points; usableOn?: Day; expiresOn: Day }>

/**
 * `available` is what is left of usable points, less what is owed: it is negative where more was spent or taken back than there was.
 * `available + pending + expired` is everything issued less everything spent. `lots` holds the spendable lots, earliest expiry first, then the
 * pending ones.
 */
export type Balance = Readonly<{ available: Points; pending: Points; expired: Points; lots: readonly Lot[] }>

/** Assigns an expiry, on this day, to unexpired points that have none. Points issued on later days are not affected. */
export type ExpiryAssignment = Readonly<{ on: Day; expiry: Expiry }>

/**
 * The balance on a day. Within each day, in this order: points become usable and first repay what is owed; points without an expiry are assigned
 * one; activity extends the sliding expiry of usable points; spending draws on usable points, earliest expiry first and fixed before sliding, and
 * what they do not cover is owed.
 *
 * Bounds  on every day, a credit of n that does not slide raises `available` by 0 to n, and a debit of m lowers it by 0 to m
 * Errors  AssertionError if anything is spent after `day`: see `dayOfView`
 * Source  decision 138
 */
export function balanceOn(
  day: Day,
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
  today: Day,
  movements: readonly Movement[],
  expiryAssignments: readonly ExpiryAssignment[],
): Balance {
  return balanceOn(dayOfView(today, movements), movements, expiryAssignments)
}

/** The day as of which a balance is computed: today, or the latest day with spending or with activity that extends expiries, if that is later. */
export function dayOfView(today: Day, movements: readonly Movement[]): Day {
  const fixed = movements.flatMap(({ day, spent, slides }) => (spent > 0n || slides ? [day] : []))
  return fixed.reduce((latest, day) => (day > latest ? day : latest), today)
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

/** A movement labelled with the source of its points. */
export type SourcedMovement = Movement & Readonly<{ source: string }>

/** Where the points of one source stand on a day: `given` equals `pending + open + spent + expired`. */
type SourceBreakdown = Readonly<{ given: Points; pending: Points; open: Points; spent: Points; expired: Points }>

/**
 * Breaks the points of each source down by where they stand on a day. Lots with the same expiry are drawn in the order in which they became
 * usable, then by source. `owed` is spending that no source has covered yet. Summed over all sources, `pending`, `expired` and `open - owed`
 * equal those of `balanceOn`. Errors: AssertionError if anything is spent after `day`.
 */
export function breakdownBySource(
  day: Day,
  movements: readonly SourcedMovement[],
  expiryAssignments: readonly ExpiryAssignment[],
): { breakdowns: ReadonlyMap<string, SourceBreakdown>; owed: Points } {
  const { usable, expired, pending, debt } = foldAll(day, movements, expiryAssignments)
  const bySource = (parts: readonly Readonly<{ source: string; points: Points }>[]) => {
    const sums = new Map<string, Points>()
    for (const { source, points } of parts) sums.set(source, (sums.get(source) ?? 0n) + points)
    return (source: string) => sums.get(source) ?? 0n
  }
  const restBySource = (lots: readonly OpenLot[]) =>
    bySource(lots.map(({ source, rest }) => ({ source, points: rest })))
  const givenBy = bySource(movements.map(({ source, given }) => ({ source, points: given })))
  const [pendingOf, openOf, expiredOf] = [bySource(pending), restBySource(usable), restBySource(expired)]
  const breakdownOf = (source: string): SourceBreakdown => {
    const parts = { pending: pendingOf(source), open: openOf(source), expired: expiredOf(source) }
    const given = givenBy(source)
    return { given, ...parts, spent: given - parts.pending - parts.open - parts.expired }
  }
  return { breakdowns: new Map(movements.map(({ source }) => [source, breakdownOf(source)])), owed: debt }
}

/**
 * Spending up to a day that the balance did not cover at the time: one sum for each day on which it happened. Returns and late orders change past
 * balances, so spending that was covered when it was made may no longer be.
 */
export function uncoveredUntil(
  day: Day,
  movements: readonly Movement[],
  expiryAssignments: readonly ExpiryAssignment[],
): readonly Points[] {
  return foldUntil(day, movements, expiryAssignments).uncovered
}

/** The movement of a single ledger entry. */
export function movementOf(entry: Pick<Entry, 'kind' | 'points' | 'at' | 'day' | 'terms' | 'adjustment'>): Movement {
  const { kind, points, adjustment } = entry
  const day = entry.day ?? entry.at.slice(0, 10)
  const isSpent = kind === 'redemption' || (kind === 'adjustment' && points < 0n !== (adjustment?.undone === true))
  const { usableOn, expiresOn, slides } = entry.terms ?? { usableOn: day, expiresOn: NEVER, slides: false }
  return { usableOn, expiresOn, slides, day, given: isSpent ? 0n : points, spent: isSpent ? -points : 0n }
}

/** A movement that spends `points` on a day. */
export function debitOn(day: Day, points: Points): Movement {
  return { day, usableOn: day, expiresOn: NEVER, slides: false, given: 0n, spent: points }
}

/** The expiries that program versions assign to points without one (`earlier-points`), by day. */
export function expiryAssignmentsOf(programs: readonly PublishedProgram[]): ExpiryAssignment[] {
  return programs
    .flatMap(({ from, withdrawn, program: { points, timeZone } }) =>
      points?.earlierPoints === undefined || withdrawn || from === '-infinity'
        ? []
        : [{ on: localDay(from, timeZone), expiry: points.earlierPoints }],
    )
    .sort((a, b) => (a.on < b.on ? -1 : 1))
}

/** A movement with or without the source of its points. */
type SomeMovement = Movement & Readonly<{ source?: string }>

type OpenLot = {
  until: Day
  slides: boolean
  rest: Points
  readonly givenOn: Day
  readonly since: Day
  readonly source: string
}

/** The lots on a day by state, what is owed, each day's uncovered spending, and what is spent after the day. */
type Fold = Readonly<{
  usable: OpenLot[]
  expired: OpenLot[]
  pending: (Lot & Readonly<{ source: string }>)[]
  debt: Points
  uncovered: Points[]
  spentLater: Points
}>

/** A fold that leaves out no spending: a balance without it would be too high. Errors: AssertionError. */
function foldAll(day: Day, movements: readonly SomeMovement[], expiryAssignments: readonly ExpiryAssignment[]): Fold {
  const fold = foldUntil(day, movements, expiryAssignments)
  const { spentLater } = fold
  if (spentLater > 0n) assert.fail(`a balance on ${day} would leave out ${spentLater} points that are spent later`)
  return fold
}

function foldUntil(day: Day, movements: readonly SomeMovement[], expiryAssignments: readonly ExpiryAssignment[]): Fold {
  // Sorted by `inSpendingOrder`, none of them empty, so that a debit touches only the first few.
  const usable: OpenLot[] = []
  let debt = 0n
  const expired: OpenLot[] = []
  const uncovered: Points[] = []
  const pending: (Lot & { source: string })[] = []
  let spentLater = 0n
  for (const step of stepsOf(movements, expiryAssignments)) {
    if (step.day > day) {
      if (step.kind === LOT)
        pending.push({ points: step.points, usableOn: step.day, expiresOn: step.until, source: step.source })
      if (step.kind === DEBIT) spentLater += step.points
      continue
    }
    switch (step.kind) {
      case LOT: {
        const paid = least(debt, step.points)
        debt -= paid
        const { day: since, until, slides, source, givenOn } = step
        if (paid < step.points) insertLot(usable, { until, slides, rest: step.points - paid, givenOn, since, source })
        break
      }
      case EXPIRY_ASSIGNMENT:
        for (const lot of usable)
          if (lot.until === NEVER && lot.givenOn <= step.day) {
            lot.until = expiryAfter(step.day, step.expiry)
            lot.slides = step.expiry.slides
          }
        usable.sort(inSpendingOrder)
        break
      case ACTIVITY:
        for (const lot of usable)
          if (lot.slides && lot.until > step.day && lot.until < step.until) lot.until = step.until
        usable.sort(inSpendingOrder)
        joinSliding(usable)
        break
      case DEBIT: {
        expired.push(...removeExpired(usable, step.day))
        const missing = draw(usable, step.points)
        if (missing > 0n) uncovered.push(missing)
        debt += missing
        break
      }
      default:
        step satisfies never
    }
  }
  expired.push(...removeExpired(usable, day))
  return { usable, expired, pending, debt, uncovered, spentLater }
}

/** Earliest expiry first, fixed before sliding. The tie-breakers after that affect only which source the points are attributed to. */
function inSpendingOrder(a: OpenLot, b: OpenLot): number {
  return (
    compareValues(a.until, b.until) ||
    Number(a.slides) - Number(b.slides) ||
    compareValues(a.since, b.since) ||
    compareValues(a.source, b.source)
  )
}

/** The kinds of steps, in the order in which they are applied within a day. */
const [LOT, EXPIRY_ASSIGNMENT, ACTIVITY, DEBIT] = [0, 1, 2, 3] as const

type Step = Readonly<
  { day: Day } & (
    | { kind: typeof LOT; points: Points; until: Day; slides: boolean; givenOn: Day; source: string }
    | { kind: typeof EXPIRY_ASSIGNMENT; expiry: Expiry }
    | { kind: typeof ACTIVITY; until: Day }
    | { kind: typeof DEBIT; points: Points }
  )
>

function stepsOf(movements: readonly SomeMovement[], expiryAssignments: readonly ExpiryAssignment[]): Step[] {
  const steps: Step[] = expiryAssignments.map(({ on, expiry }) => ({ kind: EXPIRY_ASSIGNMENT, day: on, expiry }))
  const given = new Map<string, SomeMovement>()
  const spent = new Map<Day, Points>()
  for (const movement of movements) {
    const { day, usableOn, expiresOn, slides, source = '' } = movement
    if (slides && expiresOn !== NEVER) steps.push({ kind: ACTIVITY, day, until: expiresOn })
    if (movement.spent !== 0n) spent.set(day, (spent.get(day) ?? 0n) + movement.spent)
    if (movement.given === 0n) continue
    const key = `${day} ${usableOn} ${expiresOn} ${slides} ${source}`
    const before = given.get(key)
    given.set(key, before === undefined ? movement : { ...movement, given: movement.given + before.given })
  }
  for (const movement of given.values()) if (movement.given > 0n) steps.push(lotOf(movement, expiryAssignments))
  for (const [day, points] of spent) if (points > 0n) steps.push({ kind: DEBIT, day, points })
  return steps.sort(
    (a, b) =>
      compareValues(a.day, b.day) ||
      a.kind - b.kind ||
      (a.kind === LOT && b.kind === LOT
        ? compareValues(a.until, b.until) || Number(a.slides) - Number(b.slides) || compareValues(a.source, b.source)
        : 0),
  )
}

/** Points that were still pending when an expiry was assigned get theirs counted from the day on which they become usable. */
function lotOf(
  { day, usableOn, expiresOn, slides, given, source = '' }: SomeMovement,
  expiryAssignments: readonly ExpiryAssignment[],
): Step {
  const wasPending = ({ on }: ExpiryAssignment) => day <= on && on < usableOn
  const assigned = expiresOn === NEVER && usableOn !== NEVER ? expiryAssignments.find(wasPending) : undefined
  const expiry = assigned === undefined ? { until: expiresOn, slides } : assignedExpiry(usableOn, assigned)
  return { kind: LOT, day: usableOn, points: given, givenOn: day, source, ...expiry }
}

function assignedExpiry(usableOn: Day, { expiry }: ExpiryAssignment): { until: Day; slides: boolean } {
  return { until: expiryAfter(usableOn, expiry), slides: expiry.slides }
}

/** Inserts a lot in spending order, searching from the end: a new lot usually expires last. */
function insertLot(lots: OpenLot[], lot: OpenLot): void {
  let place = lots.length
  while (place > 0 && inSpendingOrder(lots[place - 1]!, lot) > 0) place -= 1
  lots.splice(place, 0, lot)
}

/**
 * Joins neighbours that slide together from now on. They are drawn one after the other, and later lots come after both, so that nothing changes
 * but the number of lots: one for each day of activity would make a balance quadratic in those days.
 */
function joinSliding(lots: OpenLot[]): void {
  let last = 0
  for (const lot of lots.slice(1)) {
    const before = lots[last]!
    if (lot.slides && before.slides && lot.until === before.until && lot.source === before.source)
      before.rest += lot.rest
    else {
      last += 1
      lots[last] = lot
    }
  }
  lots.length = Math.min(lots.length, last + 1)
}

/** Removes and returns the lots that have expired by a day. */
function removeExpired(lots: OpenLot[], day: Day): OpenLot[] {
  const firstUnexpired = lots.findIndex(({ until }) => until > day)
  return lots.splice(0, firstUnexpired === -1 ? lots.length : firstUnexpired)
}

/** Draws points from the lots in turn, removing those that become empty. Returns the shortfall. */
function draw(lots: OpenLot[], points: Points): Points {
  let missing = points
  while (missing > 0n && lots.length > 0) {
    const [lot] = lots as [OpenLot]
    const drawn = least(lot.rest, missing)
    lot.rest -= drawn
    missing -= drawn
    if (lot.rest === 0n) lots.shift()
  }
  return missing
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

function least(a: Points, b: Points): Points {
  return a < b ? a : b
}

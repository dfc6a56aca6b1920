/*
 * Movements are folded day by day into lots: what of them can be spent, waits, has expired, or is owed (decision 138).
 */
import assert from 'node:assert/strict'
import { compareValues } from '../arithmetic.ts'
import { dayAfter } from '../calendar.ts'
import { type ExpiryAssignment, expiryAfter, NEVER } from '../pending-and-expiry.ts'
import type { PlainDate, Points } from '../units.ts'
import { type SomeMovement, type Step, type StepOf, stepsByDay } from './steps.ts'

/** What is left (`rest`, above 0) of points that were given on a day, are usable since another, and expire at the start of the day `until`. */
export type OpenLot = {
  until: PlainDate
  slides: boolean
  rest: Points
  readonly givenOn: PlainDate
  readonly since: PlainDate
  /** Empty where movements have none. */
  readonly source: string
}

/** The lots on a day by state, what is owed, each day's uncovered spending, and what is spent after the day. */
export type Fold = {
  /** In spending order, none of them empty, so that a debit touches only the first few. */
  readonly usable: OpenLot[]
  readonly expired: OpenLot[]
  readonly pending: Readonly<{ points: Points; usableOn: PlainDate; expiresOn: PlainDate; source: string }>[]
  debt: Points
  readonly uncovered: Points[]
  spentLater: Points
  /** So far, by day. */
  readonly activities: StepOf<'activity'>[]
}

const emptyFold = (): Fold => ({
  ...{ usable: [], expired: [], pending: [], uncovered: [], activities: [], debt: 0n, spentLater: 0n },
})

/** A fold that leaves out no spending: a balance without it would be too high. Errors: AssertionError. */
export function foldAll(
  day: PlainDate,
  movements: readonly SomeMovement[],
  expiryAssignments: readonly ExpiryAssignment[],
): Readonly<Fold> {
  const fold = foldUntil(day, movements, expiryAssignments)
  const { spentLater } = fold
  if (spentLater > 0n) assert.fail(`a balance on ${day} would leave out ${spentLater} points that are spent later`)
  return fold
}

/**
 * Applies all that happens up to the end of a day. Of later days, it sets aside what is given (`pending`) and spent (`spentLater`); what versions of
 * later days assign is not known yet (decision 138).
 */
export function foldUntil(
  day: PlainDate,
  movements: readonly SomeMovement[],
  expiryAssignments: readonly ExpiryAssignment[],
): Readonly<Fold> {
  const fold = emptyFold()
  const assignments = expiryAssignments.filter(({ on }) => on <= day)
  for (const step of stepsByDay(movements, assignments)) {
    if (step.day <= day) applyStep(step, fold)
    else setAside(step, fold)
  }
  fold.expired.push(...removeExpired(fold.usable, day))
  return fold
}

/**
 * What is available at the end of the day `until` (`last`), and the least at the end of any day from `from` on: what a debit on `from` may draw, so
 * that no day is overdrawn because of it (decision 139). Negative where points are owed.
 */
export function availableBetween(
  from: PlainDate,
  until: PlainDate,
  movements: readonly SomeMovement[],
  expiryAssignments: readonly ExpiryAssignment[],
): Readonly<{ least: Points; last: Points }> {
  const fold = emptyFold()
  let available = 0n
  let expiredSeen = 0
  /** Between the days of steps, balances only shrink, so that the last day before a step has the least. */
  const atEndOf = (day: PlainDate) => {
    fold.expired.push(...removeExpired(fold.usable, day))
    for (const { rest } of fold.expired.slice(expiredSeen)) available -= rest
    expiredSeen = fold.expired.length
    return available
  }
  let least: Points | undefined
  let today = from
  for (const step of stepsByDay(movements, expiryAssignments)) {
    if (step.day > until) break
    if (step.day > today) {
      const before = atEndOf(dayAfter(step.day, -1))
      if (least === undefined || before < least) least = before
      today = step.day
    }
    applyStep(step, fold)
    if (step.kind === 'lot') available += step.points
    if (step.kind === 'debit') available -= step.points
  }
  const last = atEndOf(until)
  return { least: least === undefined || last < least ? last : least, last }
}

function applyStep(step: Step, fold: Fold): void {
  switch (step.kind) {
    case 'lot':
      becomeUsable(step, fold)
      break
    case 'expiry-assignment':
      assignExpiry(step, fold)
      break
    case 'activity':
      extendExpiries(step, fold)
      break
    case 'debit':
      spend(step, fold)
      break
    default:
      step satisfies never
  }
}

function setAside(step: Step, fold: Fold): void {
  if (step.kind === 'lot')
    fold.pending.push({
      ...{ points: step.points, usableOn: step.day, source: step.source },
      expiresOn: extendedWhilePending(step, fold),
    })
  if (step.kind === 'debit') fold.spentLater += step.points
}

function becomeUsable(step: StepOf<'lot'>, fold: Fold): void {
  const { day: since, points, slides, givenOn, source } = step
  const repaid = smaller(fold.debt, points)
  fold.debt -= repaid
  const until = extendedWhilePending(step, fold)
  if (repaid < points) insertLot(fold.usable, { until, slides, rest: points - repaid, givenOn, since, source })
}

/** The expiry of points after the activity of the days on which they were pending (decision 138). */
function extendedWhilePending({ until, slides, slidesFrom }: StepOf<'lot'>, { activities }: Fold): PlainDate {
  if (!slides) return until
  let extended = until
  // Backwards, as points are pending for days or weeks, and an account may have years of activity.
  for (let place = activities.length - 1; place >= 0 && activities[place]!.day >= slidesFrom; place -= 1) {
    const activity = activities[place]!
    if (activity.until > extended) extended = activity.until
  }
  return extended
}

/** Points given on later days keep what they were given with. */
function assignExpiry({ day, expiry }: StepOf<'expiry-assignment'>, { usable }: Fold): void {
  for (const lot of usable)
    if (lot.until === NEVER && lot.givenOn <= day) {
      lot.until = expiryAfter(day, expiry)
      lot.slides = expiry.slides
    }
  usable.sort(inSpendingOrder)
}

function extendExpiries(step: StepOf<'activity'>, { usable, activities }: Fold): void {
  const { day, until } = step
  activities.push(step)
  for (const lot of usable) if (lot.slides && lot.until > day && lot.until < until) lot.until = until
  usable.sort(inSpendingOrder)
  joinSliding(usable)
}

function spend({ day, points }: StepOf<'debit'>, fold: Fold): void {
  fold.expired.push(...removeExpired(fold.usable, day))
  const missing = draw(fold.usable, points)
  if (missing > 0n) fold.uncovered.push(missing)
  fold.debt += missing
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
function removeExpired(lots: OpenLot[], day: PlainDate): OpenLot[] {
  const firstUnexpired = lots.findIndex(({ until }) => until > day)
  return lots.splice(0, firstUnexpired === -1 ? lots.length : firstUnexpired)
}

/** Draws points from the lots in turn, removing those that become empty. Returns the shortfall. */
function draw(lots: OpenLot[], points: Points): Points {
  let missing = points
  while (missing > 0n && lots.length > 0) {
    const [lot] = lots as [OpenLot]
    const drawn = smaller(lot.rest, missing)
    lot.rest -= drawn
    missing -= drawn
    if (lot.rest === 0n) lots.shift()
  }
  return missing
}

function smaller(a: Points, b: Points): Points {
  return a < b ? a : b
}

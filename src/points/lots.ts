/*
 * A balance as a function of what was given and spent, and of a day (decision 138). The grain is the local day: within one, the order in which
 * things arrive cannot matter. It is computed of all entries each time (decision 151).
 */
import { localDay } from './local-time.ts'
import type { Entry, Terms } from './model.ts'
import type { Expiry, PublishedProgram } from './program-model.ts'
import { expiryAfter, NEVER } from './terms.ts'
import type { Day, Points } from './units.ts'

/** What entries of one local day with the same terms come to. Together, `given` and `spent` are not below 0: what was taken back is taken out. */
export type Movement = Terms & Readonly<{ day: Day; given: Points; spent: Points }>

/** What an entry of a ledger adds. */
export function movementOf(entry: Pick<Entry, 'kind' | 'points' | 'at' | 'day' | 'terms' | 'adjustment'>): Movement {
  const { kind, points, adjustment } = entry
  const day = entry.day ?? entry.at.slice(0, 10)
  const isSpent = kind === 'redemption' || (kind === 'adjustment' && points < 0n !== (adjustment?.undone === true))
  const { usableOn, expiresOn, slides } = entry.terms ?? { usableOn: day, expiresOn: NEVER, slides: false }
  return { usableOn, expiresOn, slides, day, given: isSpent ? 0n : points, spent: isSpent ? -points : 0n }
}

/** So many points spent on a day. */
export function debitOn(day: Day, points: Points): Movement {
  return { day, usableOn: day, expiresOn: NEVER, slides: false, given: 0n, spent: points }
}

/** Which lots a debit takes its points from, by their ends; what they do not cover is owed. Nothing is spent after the debit's day. */
export function lotsDrawn(debit: Movement, movements: readonly Movement[], lateEnds: readonly LateEnd[]): Lot[] {
  const day = dayOfView(debit.day, movements)
  const living = (all: readonly Movement[]) =>
    balanceOn(day, all, lateEnds).lots.filter(({ usableOn }) => usableOn === undefined)
  const left = new Map(living([...movements, debit]).map(({ expiresOn, points }) => [expiresOn, points]))
  return living(movements)
    .map((lot) => ({ ...lot, points: lot.points - (left.get(lot.expiresOn) ?? 0n) }))
    .filter(({ points }) => points > 0n)
}

/** On this day living points without an end get one, those of later days do not. */
export type LateEnd = Readonly<{ on: Day; expiry: Expiry }>

/** Points that end on the same day. `usableOn` is absent where they can be spent. */
export type Lot = Readonly<{ points: Points; usableOn?: Day; expiresOn: Day }>

/**
 * `available` is what is left of usable points, less what is owed: below 0 where more was spent or taken back than there was.
 * `available + pending + expired` is all that was given less all that was spent. `lots` are those that can be spent, soonest-ending first, then
 * those that cannot yet.
 */
export type Balance = Readonly<{ available: Points; pending: Points; expired: Points; lots: readonly Lot[] }>

/** The versions that give an end to points that had none, in the order of their days. */
export function lateEndsOf(programs: readonly PublishedProgram[]): LateEnd[] {
  return programs
    .flatMap(({ from, withdrawn, program: { points, timeZone } }) =>
      points?.earlierPoints === undefined || withdrawn || from === '-infinity'
        ? []
        : [{ on: localDay(from, timeZone), expiry: points.earlierPoints }],
    )
    .sort((a, b) => (a.on < b.on ? -1 : 1))
}

/** The day on which a balance is looked at: today, or the latest on which anything was spent or kept points alive, if that lies later. */
export function dayOfView(today: Day, movements: readonly Movement[]): Day {
  const fixed = movements.flatMap(({ day, spent, slides }) => (spent > 0n || slides ? [day] : []))
  return fixed.reduce((latest, day) => (day > latest ? day : latest), today)
}

/** A movement that says where its points come from, or does not. */
type SomeMovement = Movement & Readonly<{ source?: string }>

/** A movement that says where its points come from. */
export type SourcedMovement = Movement & Readonly<{ source: string }>

/** What became of points by a day: `given` is `pending + open + spent + expired`. What was spent before there was anything is owed, and no fate. */
export type Fate = Readonly<{ given: Points; pending: Points; open: Points; spent: Points; expired: Points }>

/**
 * What became, by a day, of the points of each source. Points that end on the same day are taken in the order in which they became usable, then by
 * their sources. `owed` is what nothing has covered yet. Over all sources `pending`, `expired` and `open - owed` are those of `balanceOn`.
 */
export function fatesOn(
  day: Day,
  movements: readonly SourcedMovement[],
  lateEnds: readonly LateEnd[] = [],
): { fates: ReadonlyMap<string, Fate>; owed: Points } {
  const { living, ended, waiting, debt } = foldUntil(day, movements, lateEnds)
  const bySource = (parts: readonly Readonly<{ source: string; points: Points }>[]) => {
    const sums = new Map<string, Points>()
    for (const { source, points } of parts) sums.set(source, (sums.get(source) ?? 0n) + points)
    return (source: string) => sums.get(source) ?? 0n
  }
  const rests = (lots: readonly Open[]) => bySource(lots.map(({ source, rest }) => ({ source, points: rest })))
  const given = bySource(movements.map(({ source, given }) => ({ source, points: given })))
  const [pending, open, expired] = [bySource(waiting), rests(living), rests(ended)]
  const fateOf = (source: string): Fate => {
    const fate = { given: given(source), pending: pending(source), open: open(source), expired: expired(source) }
    return { ...fate, spent: fate.given - fate.pending - fate.open - fate.expired }
  }
  return { fates: new Map(movements.map(({ source }) => [source, fateOf(source)])), owed: debt }
}

/**
 * The balance on a day. Day by day: points become usable, and pay what is owed first; points without an end get one; activity lifts the end of
 * living points that slide; what is spent draws on living points, soonest-ending first, fixed before sliding, and is owed where there are none.
 *
 * Bounds  nothing is spent after `day`. A credit of n that does not slide raises `available` by 0 to n on every day, a debit of m lowers it by 0 to m
 * Source  decision 138
 */
export function balanceOn(day: Day, movements: readonly Movement[], lateEnds: readonly LateEnd[] = []): Balance {
  const { living, ended, waiting, debt } = foldUntil(day, movements, lateEnds)
  return {
    available: sumOf(living) - debt,
    pending: waiting.reduce((sum, { points }) => sum + points, 0n),
    expired: sumOf(ended),
    lots: [
      ...merged(living.map(({ until, rest }) => ({ points: rest, expiresOn: until }))),
      ...merged(waiting.map(({ source: _, ...lot }) => lot)),
    ],
  }
}

/** The balance as of today or, if anything is spent or keeps points alive later than today, as of the last such day. */
export function balanceAsOf(today: Day, movements: readonly Movement[], lateEnds: readonly LateEnd[]): Balance {
  return balanceOn(dayOfView(today, movements), movements, lateEnds)
}

/** What up to a day was spent beyond what could be spent then, one number for each day of it: returns and late orders move balances of the past. */
export function uncoveredUntil(
  day: Day,
  movements: readonly Movement[],
  lateEnds: readonly LateEnd[] = [],
): readonly Points[] {
  return foldUntil(day, movements, lateEnds).uncovered
}

/** The lots on a day, those that can be spent, have ended and wait, what is owed, and what of each day's spending was not covered. */
type Fold = Readonly<{
  living: Open[]
  ended: Open[]
  waiting: (Lot & Readonly<{ source: string }>)[]
  debt: Points
  uncovered: Points[]
}>

function foldUntil(day: Day, movements: readonly SomeMovement[], lateEnds: readonly LateEnd[]): Fold {
  // Soonest-ending first, none of them empty: a debit touches those in front alone.
  const open: Open[] = []
  let debt = 0n
  const gone: Open[] = []
  const uncovered: Points[] = []
  const waiting: (Lot & { source: string })[] = []
  for (const step of stepsOf(movements, lateEnds)) {
    if (step.day > day) {
      if (step.kind === LOT)
        waiting.push({ points: step.points, usableOn: step.day, expiresOn: step.until, source: step.source })
    } else if (step.kind === LOT) {
      const paid = least(debt, step.points)
      debt -= paid
      const { day: since, until, slides, source } = step
      if (paid < step.points) queue(open, { until, slides, rest: step.points - paid, since, source })
    } else if (step.kind === LATE_END) {
      for (const lot of open)
        if (lot.until === NEVER) {
          lot.until = expiryAfter(step.day, step.expiry)
          lot.slides = step.expiry.slides
        }
      open.sort(inTurn)
    } else if (step.kind === ACTIVITY) {
      for (const lot of open) if (lot.slides && lot.until > step.day && lot.until < step.until) lot.until = step.until
      open.sort(inTurn)
    } else {
      gone.push(...takeEnded(open, step.day))
      const missing = draw(open, step.points)
      if (missing > 0n) uncovered.push(missing)
      debt += missing
    }
  }
  gone.push(...takeEnded(open, day))
  return { living: open, ended: gone, waiting, debt, uncovered }
}

type Open = { until: Day; slides: boolean; rest: Points; readonly since: Day; readonly source: string }

/** Soonest-ending first, fixed before sliding; the rest decides nothing but which source is named. */
function inTurn(a: Open, b: Open): number {
  return (
    compare(a.until, b.until) ||
    Number(a.slides) - Number(b.slides) ||
    compare(a.since, b.since) ||
    compare(a.source, b.source)
  )
}

/** In the order in which they are taken within a day. */
const [LOT, LATE_END, ACTIVITY, DEBIT] = [0, 1, 2, 3] as const

type Step = Readonly<
  { day: Day } & (
    | { kind: typeof LOT; points: Points; until: Day; slides: boolean; source: string }
    | { kind: typeof LATE_END; expiry: Expiry }
    | { kind: typeof ACTIVITY; until: Day }
    | { kind: typeof DEBIT; points: Points }
  )
>

function stepsOf(movements: readonly SomeMovement[], lateEnds: readonly LateEnd[]): Step[] {
  const steps: Step[] = lateEnds.map(({ on, expiry }) => ({ kind: LATE_END, day: on, expiry }))
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
  for (const movement of given.values()) if (movement.given > 0n) steps.push(lotOf(movement, lateEnds))
  for (const [day, points] of spent) if (points > 0n) steps.push({ kind: DEBIT, day, points })
  return steps.sort(
    (a, b) =>
      compare(a.day, b.day) ||
      a.kind - b.kind ||
      (a.kind === LOT && b.kind === LOT
        ? compare(a.until, b.until) || Number(a.slides) - Number(b.slides) || compare(a.source, b.source)
        : 0),
  )
}

/** Points that wait while others get an end get theirs from the day on which they become usable. */
function lotOf(
  { day, usableOn, expiresOn, slides, given, source = '' }: SomeMovement,
  lateEnds: readonly LateEnd[],
): Step {
  const isLateFor = ({ on }: LateEnd) => day <= on && on < usableOn
  const late = expiresOn === NEVER && usableOn !== NEVER ? lateEnds.find(isLateFor) : undefined
  const end = late === undefined ? { until: expiresOn, slides } : lateEndOf(usableOn, late)
  return { kind: LOT, day: usableOn, points: given, source, ...end }
}

function lateEndOf(usableOn: Day, { expiry }: LateEnd): { until: Day; slides: boolean } {
  return { until: expiryAfter(usableOn, expiry), slides: expiry.slides }
}

/** Puts a lot in its turn: mostly it ends last. */
function queue(open: Open[], lot: Open): void {
  let place = open.length
  while (place > 0 && inTurn(open[place - 1]!, lot) > 0) place -= 1
  open.splice(place, 0, lot)
}

/** Takes out the lots that have ended by a day. */
function takeEnded(open: Open[], day: Day): Open[] {
  const living = open.findIndex(({ until }) => until > day)
  return open.splice(0, living === -1 ? open.length : living)
}

/** Takes so many points from lots, one after the other, and takes out those that are empty then. Answers how many there were not. */
function draw(open: Open[], points: Points): Points {
  let missing = points
  while (missing > 0n && open.length > 0) {
    const [lot] = open as [Open]
    const drawn = least(lot.rest, missing)
    lot.rest -= drawn
    missing -= drawn
    if (lot.rest === 0n) open.shift()
  }
  return missing
}

/** Lots of the same days as one, in the order of their days. */
function merged(lots: readonly Lot[]): Lot[] {
  const byDays = new Map<string, Lot>()
  for (const lot of lots) {
    const days = `${lot.usableOn ?? ''} ${lot.expiresOn}`
    byDays.set(days, { ...lot, points: lot.points + (byDays.get(days)?.points ?? 0n) })
  }
  return [...byDays].sort(([a], [b]) => compare(a, b)).map(([, lot]) => lot)
}

function sumOf(lots: readonly Open[]): Points {
  return lots.reduce((sum, { rest }) => sum + rest, 0n)
}

function least(a: Points, b: Points): Points {
  return a < b ? a : b
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

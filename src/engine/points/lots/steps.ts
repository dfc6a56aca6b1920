/*
 * What movements do to a balance, step by step. The grain is the local day: the order of arrival within a day cannot matter.
 */
import { compareValues } from '../arithmetic.ts'
import { type ExpiryAssignment, expiryAfter, NEVER } from '../pending-and-expiry.ts'
import type { Expiry } from '../program-model.ts'
import type { PlainDate, Points } from '../units.ts'
import type { Movement } from './movement.ts'

/**
 * What happens on a day, in the order in which it is applied: points become usable and first repay what is owed; points without an expiry are
 * assigned one; activity extends the expiry of sliding points, pending ones too; spending draws on usable points, earliest expiry first and fixed
 * before sliding, and what they do not cover is owed.
 */
const STEPS_OF_A_DAY = ['lot', 'expiry-assignment', 'activity', 'debit'] as const

type StepKind = (typeof STEPS_OF_A_DAY)[number]

type PartsOfStep = {
  /** `slidesFrom`: the first day on which activity extends the expiry. */
  lot: { points: Points; until: PlainDate; slides: boolean; slidesFrom: PlainDate; givenOn: PlainDate; source: string }
  'expiry-assignment': { expiry: Expiry }
  activity: { until: PlainDate }
  debit: { points: Points }
}

export type StepOf<Kind extends StepKind> = Readonly<{ kind: Kind; day: PlainDate } & PartsOfStep[Kind]>
export type Step = { [Kind in StepKind]: StepOf<Kind> }[StepKind]

/** A movement with or without the source of its points. */
export type SomeMovement = Movement & Readonly<{ source?: string }>

/** The steps that movements and assignments make, in the order in which they are applied. */
export function stepsByDay(movements: readonly SomeMovement[], expiryAssignments: readonly ExpiryAssignment[]): Step[] {
  const steps: Step[] = expiryAssignments.map(({ on, expiry }) => ({ kind: 'expiry-assignment', day: on, expiry }))
  // Sorted, so that those to be summed are neighbours: looking each up by a key takes twice as long (bench/NOTES.md).
  const sorted = [...movements].sort(byDayAndTerms)
  let [given, spent] = [0n, 0n]
  for (const [place, movement] of sorted.entries()) {
    const { day, expiresOn, slides } = movement
    const next = sorted[place + 1]
    if (slides && expiresOn !== NEVER) steps.push({ kind: 'activity', day, until: expiresOn })
    given += movement.given
    spent += movement.spent
    if (next !== undefined && byDayAndTerms(movement, next) === 0) continue
    if (given > 0n) steps.push(lotOf({ ...movement, given }, expiryAssignments))
    given = 0n
    if (next?.day === day) continue
    if (spent > 0n) steps.push({ kind: 'debit', day, points: spent })
    spent = 0n
  }
  return steps.sort(inOrder)
}

/** Movements that this makes equal are given together. */
function byDayAndTerms(a: SomeMovement, b: SomeMovement): number {
  return (
    compareValues(a.day, b.day) ||
    compareValues(a.usableOn, b.usableOn) ||
    compareValues(a.expiresOn, b.expiresOn) ||
    Number(a.slides) - Number(b.slides) ||
    compareValues(a.source ?? '', b.source ?? '')
  )
}

/** Each kind's index in STEPS_OF_A_DAY, looked up here because a balance compares thousands of steps. */
const PLACES_IN_DAY = Object.fromEntries(STEPS_OF_A_DAY.map((kind, place) => [kind, place])) as Record<StepKind, number>

/** By day; within a day by kind; of the lots of a day, those that expire first repay what is owed. */
function inOrder(a: Step, b: Step): number {
  return (
    compareValues(a.day, b.day) ||
    PLACES_IN_DAY[a.kind] - PLACES_IN_DAY[b.kind] ||
    (a.kind === 'lot' && b.kind === 'lot'
      ? compareValues(a.until, b.until) || Number(a.slides) - Number(b.slides) || compareValues(a.source, b.source)
      : 0)
  )
}

/** Points that were still pending when an expiry was assigned get theirs counted from the day on which they become usable. */
function lotOf(
  { day, usableOn, expiresOn, slides, given, source = '' }: SomeMovement,
  expiryAssignments: readonly ExpiryAssignment[],
): StepOf<'lot'> {
  const wasPending = ({ on }: ExpiryAssignment) => day <= on && on < usableOn
  const assigned = expiresOn === NEVER && usableOn !== NEVER ? expiryAssignments.find(wasPending) : undefined
  const expiry =
    assigned === undefined ? { until: expiresOn, slides, slidesFrom: day } : assignedExpiry(usableOn, assigned)
  return { kind: 'lot', day: usableOn, points: given, givenOn: day, source, ...expiry }
}

function assignedExpiry(usableOn: PlainDate, { on, expiry }: ExpiryAssignment) {
  return { until: expiryAfter(usableOn, expiry), slides: expiry.slides, slidesFrom: on }
}

/*
 * A plain count of what was sent, for the figures campaign: between which values a figure must lie, given its own `as_of` and `quality`.
 */

/** What a request adds to each count, by name. Additions and subtractions stay apart: a moment may lie between them. */
export type Adds = Map<string, { plus: number; minus: number }>

/** From when a request was sent until it was answered, in milliseconds of the clock, and what it added to one count. */
type Effect = Readonly<{ sentAt: number; answeredAt: number; plus: number; minus: number }>

export type Bounds = Readonly<{ least: number; most: number }>

export type Count = Readonly<{
  record: (adds: Adds, sentAt: number, answeredAt: number) => void
  /** The bounds of a count in a response that arrived at `answeredAt` and must include what was answered before `at`. */
  boundsOf: (name: string, at: number, answeredAt: number) => Bounds
  /** The names that begin so. */
  names: (prefix: string) => string[]
}>

export function createCount(): Count {
  const effects = new Map<string, Effect[]>()
  return {
    record: (adds, sentAt, answeredAt) => {
      for (const [name, { plus, minus }] of adds)
        effects.getOrInsertComputed(name, () => []).push({ sentAt, answeredAt, plus, minus })
    },
    boundsOf: (name, at, answeredAt) => {
      let [least, most] = [0, 0]
      for (const effect of effects.get(name) ?? []) {
        const isIncluded = effect.answeredAt < at
        if (!isIncluded && effect.sentAt > answeredAt) continue
        least += isIncluded ? effect.plus + effect.minus : effect.minus
        most += isIncluded ? effect.plus + effect.minus : effect.plus
      }
      return { least, most }
    },
    names: (prefix) => [...effects.keys()].filter((name) => name.startsWith(prefix)),
  }
}

export function add(adds: Adds, name: string, amount: number): void {
  const sum = adds.getOrInsertComputed(name, () => ({ plus: 0, minus: 0 }))
  if (amount > 0) sum.plus += amount
  else sum.minus += amount
}

/** Adds an event to the summary, and to the list that has it, on the day of the order (`ordered`) and on that of the request (`booked`). */
export function addEvent(
  adds: Adds,
  {
    list,
    measure,
    key = '',
    day,
    n = 1,
    points = 0,
  }: Readonly<{
    list: 'points' | 'rules' | 'orders' | 'levels'
    measure: string
    key?: string
    day: string
    n?: number
    points?: number
  }>,
): void {
  const places = [
    `summary ${measure}`,
    `${list} ordered ${day} ${measure} ${key}`,
    `${list} booked ${today()} ${measure} ${key}`,
  ]
  for (const place of places) {
    add(adds, `${place} n`, n)
    add(adds, `${place} points`, points)
  }
}

const DAY_MS = 86_400_000

export const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
export const today = () => dayAgo(0)

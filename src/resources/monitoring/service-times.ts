import { type MinuteTimes, TIME_BOUNDS_MS } from './store.ts'

export type CountedResponse = Readonly<{ method: string; route: string; status: number; durationMs: number }>

const MINUTE_MS = 60_000

type Counts = { invalid: number; refused: number; failed: number; counts: number[] }

/** Starts empty; at most `linesMax` pairs of minute and route wait to be written, others are not counted. Counting costs two map lookups. */
export function createServiceTimes(linesMax: number) {
  let minutes = new Map<number, Map<string, Counts>>()
  let lines = 0
  const countsOf = (minute: number, route: string): Counts | undefined => {
    const routes = minutes.get(minute) ?? new Map<string, Counts>()
    minutes.set(minute, routes)
    const existing = routes.get(route)
    if (existing !== undefined || lines >= linesMax) return existing
    lines += 1
    const made = { invalid: 0, refused: 0, failed: 0, counts: Array<number>(TIME_BOUNDS_MS.length + 1).fill(0) }
    routes.set(route, made)
    return made
  }
  return {
    add: ({ method, route, status, durationMs }: CountedResponse, atMs: number) => {
      const counts = countsOf(Math.floor(atMs / MINUTE_MS), `${method} ${route}`)
      if (counts === undefined) return
      const place = TIME_BOUNDS_MS.findIndex((bound) => durationMs <= bound)
      counts.counts[place < 0 ? TIME_BOUNDS_MS.length : place]! += 1
      if (status === 429 || status === 503) counts.refused += 1
      else if (status >= 500) counts.failed += 1
      else if (status >= 400) counts.invalid += 1
    },
    take: (): MinuteTimes[] => {
      const drained = [...minutes].flatMap(([minute, routes]) => {
        const starts = new Date(minute * MINUTE_MS).toISOString()
        return [...routes].map(([route, counts]) => ({ starts, route, ...counts }))
      })
      minutes = new Map()
      lines = 0
      return drained
    },
    putBack: ({ starts, route, counts, ...rest }: MinuteTimes) => {
      const existing = countsOf(Date.parse(starts) / MINUTE_MS, route)
      if (existing === undefined) return
      for (const [index, count] of counts.entries()) existing.counts[index]! += count
      for (const name of ['invalid', 'refused', 'failed'] as const) existing[name] += rest[name]
    },
  }
}

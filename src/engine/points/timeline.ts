import type { Instant, Points } from './units.ts'

/** Points by moment, with sums over any range of time. Moments are RFC 3339 in UTC, to the millisecond, so that texts sort as moments. */
export type Timeline = Readonly<{
  add: (at: Instant, points: Points) => void
  /** The sum over (`after`, `upTo`]. Without `after` the range has no start, without `upTo` no end. */
  sum: (after: Instant | undefined, upTo?: Instant) => Points
}>

/** An empty timeline. Adding in ascending order and computing a sum take logarithmic time; adding out of order moves what is later. */
export function createTimeline(): Timeline {
  const instants: Instant[] = []
  const added: Points[] = []
  // Of the first additions: as many as have been asked for since something was added before them.
  const runningSums: Points[] = []
  const countUpTo = (instant: Instant): number => {
    let [low, high] = [0, instants.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (instants[middle]! <= instant) low = middle + 1
      else high = middle
    }
    return low
  }
  const sumOfFirst = (count: number): Points => {
    while (runningSums.length < count) runningSums.push((runningSums.at(-1) ?? 0n) + added[runningSums.length]!)
    return count === 0 ? 0n : runningSums[count - 1]!
  }
  return {
    add: (at, points) => {
      if (instants.length === 0 || instants.at(-1)! <= at) {
        instants.push(at)
        added.push(points)
        return
      }
      const place = countUpTo(at)
      instants.splice(place, 0, at)
      added.splice(place, 0, points)
      if (runningSums.length > place) runningSums.length = place
    },
    sum: (after, upTo) => {
      const start = after === undefined ? 0n : sumOfFirst(countUpTo(after))
      return sumOfFirst(upTo === undefined ? instants.length : countUpTo(upTo)) - start
    },
  }
}

/** Points by moment, with sums over any range of time. Moments are RFC 3339, UTC, and are added in ascending order. */
import type { Moment, Points } from '../points/units.ts'
export type Timeline = Readonly<{
  add: (at: Moment, points: Points) => void
  /** The sum over (`after`, `upTo`]. Without `after` the range has no start, without `upTo` no end. */
  sum: (after: string | undefined, upTo?: string) => bigint
}>

/** An empty timeline. It keeps a moment and a running sum for each entry; computing a sum takes logarithmic time. */
export function createTimeline(): Timeline {
  const moments: number[] = []
  const sums: bigint[] = []
  const sumUpTo = (moment: string): bigint => {
    const ms = Date.parse(moment)
    let [low, high] = [0, moments.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (moments[middle]! <= ms) low = middle + 1
      else high = middle
    }
    return sums[low - 1] ?? 0n
  }
  return {
    add: (at, points) => {
      moments.push(Date.parse(at))
      sums.push((sums.at(-1) ?? 0n) + points)
    },
    sum: (after, upTo) =>
      (upTo === undefined ? (sums.at(-1) ?? 0n) : sumUpTo(upTo)) - (after === undefined ? 0n : sumUpTo(after)),
  }
}

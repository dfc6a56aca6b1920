/** Points by moment, summed over any span of time. Moments are RFC 3339, UTC, and come in their order. */
import type { Moment, Points } from '../points/units.ts'
export type Timeline = Readonly<{
  add: (at: Moment, points: Points) => void
  /** The sum in (`after`, `upTo`]; Without `after` from the beginning, without `upTo` to the end. */
  sum: (after: string | undefined, upTo?: string) => bigint
}>

/** An empty timeline. It keeps a number and a sum for each entry. */
export function createTimeline(): Timeline {
  const moments: number[] = []
  const sums: bigint[] = []
  /** The sum up to a moment, included. */
  const upTo = (moment: string): bigint => {
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
    sum: (after, to) => (to === undefined ? (sums.at(-1) ?? 0n) : upTo(to)) - (after === undefined ? 0n : upTo(after)),
  }
}

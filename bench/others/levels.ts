/*
 * The levels of the starter program, as both services that are compared with ours know them.
 */
const LADDER = [
  ['Platinum', 10_000],
  ['Gold', 2_000],
  ['Silver', 500],
  ['Bronze', 0],
] as const

export function levelAt(points: number): string {
  return LADDER.find(([, from]) => points >= from)?.[0] ?? 'Bronze'
}

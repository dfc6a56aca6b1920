/** Lines summed by key until they are written. */
export type Totals<Line> = Readonly<{
  add: (line: Line) => void
  /** Removes and returns all lines. */
  take: () => Line[]
}>

/** Starts empty; holds at most `linesMax` lines, further ones are not counted. */
export function createTotals<Line>(
  keyOf: (line: Line) => string,
  sumOf: (one: Line, other: Line) => Line,
  linesMax: number,
): Totals<Line> {
  let lines = new Map<string, Line>()
  return {
    add: (line) => {
      const key = keyOf(line)
      const known = lines.get(key)
      if (known !== undefined) lines.set(key, sumOf(known, line))
      else if (lines.size < linesMax) lines.set(key, line)
    },
    take: () => {
      const taken = [...lines.values()]
      lines = new Map()
      return taken
    },
  }
}

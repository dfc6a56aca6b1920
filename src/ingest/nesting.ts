/** How deep a request may nest its lists and objects (decision 6). `JSON.parse` itself has no limit, what echoes a value has. */
export const NESTING_MAX = 32

/**
 * How many values a body may hold: `{},{},{}` is small on the wire and a hundred times as large in memory.
 * 250,000 players of 13 fields are 3.5 million.
 */
export const VALUES_MAX = 6_000_000

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92

/** Elements of one list or keys of one object, but for the list of records: no record of ours comes near. */
export const WIDTH_MAX = 10_000

const RECORDS_DEPTH = 2
const DEPTHS = 64

/** What a scan knows between two pieces of one text. */
export type Nesting = {
  depth: number
  deepest: number
  /** About how many values there are. */
  values: number
  /** Elements of the largest list, or keys of the largest object, right below the envelope: the records. */
  records: number
  /** The same of every other list and object. */
  widest: number
  commas: number[]
  inText: boolean
  escaped: boolean
}

export function startNesting(): Nesting {
  return {
    depth: 0,
    deepest: 0,
    values: 0,
    records: 0,
    widest: 0,
    commas: new Array<number>(DEPTHS).fill(0),
    inText: false,
    escaped: false,
  }
}

/** Follows the brackets and commas of a piece of JSON. */
export function scanNesting(state: Nesting, piece: Uint8Array): void {
  const { commas } = state
  let { depth, deepest, values, records, widest, inText, escaped } = state
  for (let index = 0; index < piece.length; index += 1) {
    const code = piece[index]!
    if (inText) {
      if (escaped) escaped = false
      else if (code === BACKSLASH) escaped = true
      else if (code === QUOTE) inText = false
    } else if (code === QUOTE) inText = true
    else if (code === COMMA) {
      values += 1
      commas[depth & (DEPTHS - 1)]! += 1
      const width = commas[depth & (DEPTHS - 1)]! + 1
      if (depth === RECORDS_DEPTH) {
        if (width > records) records = width
      } else if (width > widest) widest = width
    }
    // [ and { differ from ] and } by 2, each pair from the other by 32.
    else if ((code | 32) === 123) {
      depth += 1
      values += 1
      commas[depth & (DEPTHS - 1)] = 0
      if (depth > deepest) deepest = depth
    } else if ((code | 32) === 125) depth -= 1
  }
  Object.assign(state, { depth, deepest, values, records, widest, inText, escaped })
}

/** The deepest level of a JSON text. */
export function nestingOf(json: string): number {
  const state = startNesting()
  scanNesting(state, Buffer.from(json))
  return state.deepest
}

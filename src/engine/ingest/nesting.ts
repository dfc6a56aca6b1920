/** How deeply a request may nest lists and objects (decision 6). `JSON.parse` has no limit of its own, but code that prints a value back does. */
export const NESTING_MAX = 32

/**
 * How many values a body may hold: `{},{},{}` is small on the wire but a hundred times as large in memory.
 * 250,000 players of 13 fields are 3.5 million.
 */
export const VALUES_MAX = 6_000_000

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92

/** The most elements of a list, or keys of an object, other than the list of records. No legitimate record comes near it. */
export const WIDTH_MAX = 10_000

const RECORDS_DEPTH = 2
const DEPTHS = 64

/** The state of a scan between the pieces of a text. */
export type Nesting = {
  depth: number
  deepest: number
  /** The approximate number of values. */
  values: number
  /** Elements of the largest list, or keys of the largest object, directly inside the envelope: the records. */
  records: number
  /** The same for all other lists and objects. */
  widest: number
  commas: Int32Array
  inText: boolean
  escaped: boolean
  /** In the last piece scanned: the offsets of the last comma between two records, and of the end of the first list of records; else -1. */
  lastComma: number
  listEnd: number
}

export function startNesting(): Nesting {
  return {
    depth: 0,
    deepest: 0,
    values: 0,
    records: 0,
    widest: 0,
    commas: new Int32Array(DEPTHS),
    inText: false,
    escaped: false,
    lastComma: -1,
    listEnd: -1,
  }
}

/** Scans the next piece of a JSON text in UTF-8, updating `state`. Strings, which make up most of the text, are skipped in an inner loop. */
export function scanNesting(state: Nesting, bytes: Uint8Array): void {
  const { commas } = state
  const { length } = bytes
  let { depth, deepest, values, records, widest, inText, escaped } = state
  let lastComma = -1
  let listEnd = -1
  for (let index = 0; index < length; index += 1) {
    if (inText) {
      for (; index < length; index += 1) {
        const code = bytes[index]
        if (escaped) escaped = false
        else if (code === BACKSLASH) escaped = true
        else if (code === QUOTE) break
      }
      inText = index === length
      continue
    }
    const code = bytes[index]!
    if (code === QUOTE) inText = true
    else if (code === COMMA) {
      values += 1
      commas[depth & (DEPTHS - 1)]! += 1
      const width = commas[depth & (DEPTHS - 1)]! + 1
      if (depth === RECORDS_DEPTH) {
        lastComma = index
        if (width > records) records = width
      } else if (width > widest) widest = width
    }
    // [ and { differ by 32, and so do ] and }.
    else if ((code | 32) === 123) {
      depth += 1
      values += 1
      commas[depth & (DEPTHS - 1)] = 0
      if (depth > deepest) deepest = depth
    } else if ((code | 32) === 125) {
      if (depth === RECORDS_DEPTH && listEnd < 0) listEnd = index
      depth -= 1
    }
  }
  // Field by field: Object.assign takes longer than scanning a small body.
  state.depth = depth
  state.deepest = deepest
  state.values = values
  state.records = records
  state.widest = widest
  state.inText = inText
  state.escaped = escaped
  state.lastComma = lastComma
  state.listEnd = listEnd
}

/** The deepest level of a JSON text. */
export function nestingOf(json: string): number {
  const state = startNesting()
  scanNesting(state, Buffer.from(json))
  return state.deepest
}

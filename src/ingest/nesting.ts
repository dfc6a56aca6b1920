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

/** What a scan knows between two pieces of one text. */
export type Nesting = { depth: number; deepest: number; values: number; inText: boolean; escaped: boolean }

export function startNesting(): Nesting {
  return { depth: 0, deepest: 0, values: 0, inText: false, escaped: false }
}

/** Follows the brackets of a piece of JSON; `state.deepest` is the deepest level so far, `state.values` about how many values there are. Works on bytes and on code units alike. */
export function scanNesting(state: Nesting, length: number, codeAt: (index: number) => number): void {
  let { depth, deepest, values, inText, escaped } = state
  for (let index = 0; index < length; index += 1) {
    const code = codeAt(index)
    if (inText) {
      if (escaped) escaped = false
      else if (code === BACKSLASH) escaped = true
      else if (code === QUOTE) inText = false
    } else if (code === QUOTE) inText = true
    else if (code === COMMA) values += 1
    // [ and { differ from ] and } by 2, each pair from the other by 32.
    else if ((code | 32) === 123) {
      depth += 1
      values += 1
      if (depth > deepest) deepest = depth
    } else if ((code | 32) === 125) depth -= 1
  }
  Object.assign(state, { depth, deepest, values, inText, escaped })
}

/** The deepest level of a JSON text. */
export function nestingOf(json: string): number {
  const state = startNesting()
  scanNesting(state, json.length, (index) => json.charCodeAt(index))
  return state.deepest
}

/*
 * The body of a bulk request, `{"data": [ ... ]}`: cut between records while its bytes arrive, and passed on in pieces, so that it is neither
 * parsed as one text nor held as one value. A body that does not begin like that is kept together, and parsed like any JSON.
 */

import type { Nesting } from '../../engine/ingest/nesting.ts'
import { notJson, parseJson, utf8, valueIn } from '../../engine/ingest/sent-json.ts'
import { InvalidInput } from '../../errors.ts'
import { createByteBuffer } from './byte-buffer.ts'

/** Some 200 players: long enough for JSON to be parsed at full speed, short enough to be parsed without a pause. */
const CHUNK_BYTES_MIN = 64 * 1024
/** The head with some blanks; a body with a longer one is odd. */
const HEAD_BYTES_MAX = 256
const HEAD = /^[ \t\r\n]*\{[ \t\r\n]*"data"[ \t\r\n]*:[ \t\r\n]*\[/
const TAIL = /^\][ \t\r\n]*\}[ \t\r\n]*$/
export type ListCutter = Readonly<{
  /** Takes the next bytes, which `nesting` has just scanned. */
  add: (chunk: Buffer, nesting: Nesting) => void
  /**
   * The value of a body of another form (undefined if it is empty); undefined if everything was passed on.
   * Errors: InvalidInput for invalid JSON, except within what was passed on.
   */
  end: () => { value: unknown } | undefined
}>

/** Passes the records of a list to `onChunk`, several at a time: their JSON as it stood in the body, between commas. */
export function createListCutter(onChunk: (chunk: Buffer) => void, chunkBytesMin = CHUNK_BYTES_MIN): ListCutter {
  const left = createByteBuffer()
  let passedOn = 0
  let isListOver = false
  /** It does not begin like a list. */
  let isOdd = false
  /** There was a comma without a record beside it. */
  let isBroken = false

  /** Passes on what was collected, up to the end of a record; false if the body is odd. */
  function cut(): boolean {
    const bytes = left.take()
    if (passedOn > 0) return pass(bytes)
    const head = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES_MAX))?.[0]
    if (head !== undefined) return pass(bytes.subarray(head.length))
    isOdd = true
    left.add(bytes)
    return false
  }

  function pass(chunk: Buffer): true {
    const isOnly = passedOn === 0 && isListOver
    isBroken ||= !isOnly && chunk.every(isBlank)
    passedOn += 1
    if (!isBroken) onChunk(chunk)
    return true
  }

  return {
    add: (chunk, { lastComma, listEnd }) => {
      if (isOdd || isListOver) return left.add(chunk)
      if (listEnd >= 0) {
        isListOver = true
        left.add(chunk.subarray(0, listEnd))
        cut()
        return left.add(chunk.subarray(listEnd))
      }
      if (lastComma < 0 || left.length() + lastComma < chunkBytesMin) return left.add(chunk)
      left.add(chunk.subarray(0, lastComma))
      // The comma between two chunks belongs to neither.
      left.add(chunk.subarray(cut() ? lastComma + 1 : lastComma))
    },
    end: () => {
      const rest = left.take()
      if (passedOn === 0) return { value: valueIn(rest) }
      if (isBroken || !isListOver) throw notJson()
      if (!TAIL.test(rest.toString('latin1'))) checkTail(utf8(rest))
      return undefined
    },
  }
}

/** Whatever follows the list is ignored, except a second `data`. */
function checkTail(text: string): void {
  if (!text.startsWith(']')) throw notJson()
  const others = parseJson(`{"":0${text.slice(1)}`) as object
  if (Object.hasOwn(others, 'data')) throw new InvalidInput('data', 'expected data once, got it twice')
}

function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13)
}

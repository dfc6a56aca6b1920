/*
 * The body of a bulk request, `{"data": [ ... ]}`: cut between records while its bytes arrive, so that it is neither read as one text nor
 * held as one value. What does not look like that is put together again, and read as any JSON.
 */
import { InvalidInput, TooLarge } from '../errors.ts'
import type { SentRecords } from '../ingest/batch.ts'
import type { Nesting } from '../ingest/nesting.ts'
import { shown } from '../ingest/shown.ts'

/** Some 200 players: long enough for a reader of JSON to get into its stride, short enough to read without a pause. */
const PIECE_BYTES_MIN = 64 * 1024
/** The head with some blanks; a longer one is odd. */
const HEAD_BYTES_MAX = 256
const HEAD = /^[ \t\r\n]*\{[ \t\r\n]*"data"[ \t\r\n]*:[ \t\r\n]*\[/
const TAIL = /^\][ \t\r\n]*\}[ \t\r\n]*$/

/** A body of records in pieces, or the bytes of one that has another form. */
export type ListBody = Readonly<{ pieces: readonly Buffer[] } | { bytes: Buffer }>

export type ListCutter = Readonly<{
  /** Takes the next bytes, which `nesting` has just scanned. */
  add: (chunk: Buffer, nesting: Nesting) => void
  end: () => ListBody
}>

export function openListCutter(pieceBytesMin = PIECE_BYTES_MIN): ListCutter {
  /** Ends of pieces are commas between records, and the end of the first list of records. */
  const pieces: Buffer[] = []
  let left: Buffer[] = []
  let leftBytes = 0
  let isListOver = false

  function keep(bytes: Buffer): void {
    left.push(bytes)
    leftBytes += bytes.length
  }

  function cut(): void {
    // Memory of its own: it goes to another thread.
    const piece = Buffer.allocUnsafeSlow(leftBytes)
    let at = 0
    for (const bytes of left) at += bytes.copy(piece, at)
    pieces.push(piece)
    left = []
    leftBytes = 0
  }

  return {
    add: (chunk, { lastComma, listEnd }) => {
      if (isListOver) return keep(chunk)
      if (listEnd >= 0) {
        isListOver = true
        keep(chunk.subarray(0, listEnd))
        cut()
        return keep(chunk.subarray(listEnd))
      }
      if (lastComma < 0 || leftBytes + lastComma < pieceBytesMin) return keep(chunk)
      keep(chunk.subarray(0, lastComma))
      cut()
      keep(chunk.subarray(lastComma + 1))
    },
    end: () => {
      const rest = Buffer.concat(left, leftBytes)
      const head = HEAD.exec(pieces[0]?.toString('latin1', 0, HEAD_BYTES_MAX) ?? '')?.[0]
      const isPlain = isListOver && head !== undefined && TAIL.test(rest.toString('latin1'))
      if (isPlain) {
        const inList = [pieces[0]!.subarray(head.length), ...pieces.slice(1)]
        // Nothing at all is an empty list; nothing beside a comma is no JSON.
        if (inList.length === 1 || !inList.some(isBlank)) return { pieces: inList }
      }
      // The commas between pieces come back; the end of the list was not one.
      const parts = isListOver ? pieces : [...pieces, rest]
      const whole = parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.of(COMMA), part]))
      return { bytes: Buffer.concat(isListOver ? [...whole, rest] : whole) }
    },
  }
}

const COMMA = 44

function isBlank(piece: Buffer): boolean {
  return piece.every((byte) => byte === 32 || (byte >= 9 && byte <= 13))
}

/** The list in `data`, or why it cannot be one (decisions 6 and 42). */
export function listIn(data: unknown, recordsMax: number): SentRecords {
  if (!Array.isArray(data)) throw new InvalidInput('data', `expected a list of records, got ${shown(data)}`)
  if (data.length > recordsMax) {
    throw new TooLarge(
      'data',
      `expected at most ${recordsMax} records in one request, got ${data.length}: send them in several`,
    )
  }
  return [data]
}

/*
 * The wire protocol between this process and the database in the worker: each statement is one message, with one answer.
 * PGlite's own `query` enters WebAssembly five times per statement and cannot prepare statements; this enters it once.
 */

import { arrayText } from '../db/array-text.ts'
import { type Column, readColumns, readRow } from './values.ts'

/** The answer to one message: the rows of its last statement, or the first error, and whether a transaction is open. */
export interface WireResult {
  readonly rows: object[]
  readonly error: DatabaseError | TypeError | RangeError | undefined
  /** The command tag of the last statement, without its counts: SELECT, COMMIT ... */
  readonly command: string
  /** Whether the named statement is now prepared, even if running it failed. */
  readonly isPrepared: boolean
  readonly isInTransaction: boolean
}

/** An error as PostgreSQL reports it, with the property names of node-postgres. */
export type DatabaseError = Error & { code: string; severity: string } & Partial<Record<ErrorField, string>>

type ErrorField = 'detail' | 'hint' | 'position' | 'where' | 'schema' | 'table' | 'column' | 'dataType' | 'constraint'

const errorFields: Record<string, ErrorField> = {
  D: 'detail',
  H: 'hint',
  P: 'position',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
}

type Piece = { readonly text: string; readonly length: number } | Uint8Array

/**
 * Encodes one statement. `name` is the prepared statement to run, which is prepared first if `prepare` is true; '' is the unnamed one.
 * Errors: `TypeError` for a parameter that is not a string, number, boolean, null, bytes or a list of these.
 */
export function encodeStatement(
  statement: { name: string; sql: string; prepare: boolean },
  params: readonly unknown[],
): Uint8Array<ArrayBuffer> {
  const values = params.map(encodeValue)
  const head: Piece[] = []
  if (statement.prepare) {
    const body = [cString(statement.name), cString(statement.sql), int16(0)]
    head.push(...message('P', body))
  }
  const bind: Piece[] = [cString(''), cString(statement.name), int16(values.length)]
  for (const value of values) bind.push(int16(value instanceof Uint8Array ? 1 : 0))
  bind.push(int16(values.length))
  for (const value of values) {
    bind.push(int32(value === null ? -1 : value.length))
    if (value !== null) bind.push(value)
  }
  bind.push(int16(0))
  return join([...head, ...message('B', bind), ...describeExecuteSync])
}

/** Encodes several statements in one text. */
export function encodeScript(sql: string): Uint8Array<ArrayBuffer> {
  return join(message('Q', [cString(sql)]))
}

/** Encodes a `COPY ... FROM STDIN` with all its rows as one message: the database cannot wait for rows between messages. */
export function encodeCopy(sql: string, rows: string): Uint8Array<ArrayBuffer> {
  return join([...message('Q', [cString(sql)]), ...message('d', [text(rows)]), ...message('c', [])])
}

function encodeValue(value: unknown, index: number): Piece | null {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return value
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return text(String(value))
  if (Array.isArray(value)) return text(arrayText(value))
  throw new TypeError(`parameter $${index + 1}: give text, a number, a boolean, null, bytes or a list of these`)
}

function text(value: string): Piece {
  return { text: value, length: Buffer.byteLength(value) }
}

function cString(value: string): Piece {
  // A NUL would end the text early, and the rest would be read as something else.
  if (value.includes('\0')) throw new TypeError('a statement cannot contain a NUL character')
  return text(`${value}\0`)
}

function int16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value)
}

function int32(value: number): Uint8Array {
  return Uint8Array.of(value >> 24, value >> 16, value >> 8, value)
}

function message(kind: string, body: readonly Piece[]): Piece[] {
  const length = body.reduce((sum, piece) => sum + piece.length, 4)
  return [text(kind), int32(length), ...body]
}

function join(pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  // Not from Buffer's shared pool: the bytes are transferred to the worker with their underlying memory.
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) bytes.set(piece, at)
    else bytes.write(piece.text, at)
    at += piece.length
  }
  return bytes
}

const describeExecuteSync: readonly Piece[] = [
  ...message('D', [text('P'), cString('')]),
  ...message('E', [cString(''), int32(0)]),
  ...message('S', []),
]

/** Decodes the answer to one message. Never throws: a value that no driver may return (database/db/driver.ts) becomes the error of the result. */
export function decodeAnswer(bytes: Uint8Array): WireResult {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let columns: readonly Column[] = []
  let rows: object[] = []
  let error: WireResult['error']
  let command = ''
  let isPrepared = false
  let isInTransaction = false
  for (let at = 0; at < buffer.length; ) {
    const end = at + 1 + buffer.readInt32BE(at + 1)
    const body = at + 5
    switch (String.fromCharCode(buffer[at]!)) {
      case '1':
        isPrepared = true
        break
      case 'T':
        columns = readColumns(buffer, body)
        rows = []
        break
      case 'D':
        if (error !== undefined) break
        try {
          rows.push(readRow(buffer, body, columns))
        } catch (thrown) {
          // The rest must still be read: it says whether a transaction is open.
          error = thrown as TypeError | RangeError
        }
        break
      case 'C':
        command = buffer.toString('latin1', body, end - 1).replace(/[ 0-9]+$/, '')
        break
      case 'E':
        error ??= readError(buffer, body)
        break
      case 'Z':
        isInTransaction = buffer[body] !== 0x49
        break
    }
    at = end
  }
  return { rows, error, command, isPrepared, isInTransaction }
}

function readError(buffer: Buffer, start: number): DatabaseError {
  const fields = new Map<string, string>()
  for (let at = start; buffer[at] !== 0; ) {
    const end = buffer.indexOf(0, at + 1)
    fields.set(String.fromCharCode(buffer[at]!), buffer.toString('utf8', at + 1, end))
    at = end + 1
  }
  const error = Object.assign(new Error(fields.get('M')), { code: fields.get('C')!, severity: fields.get('V')! })
  const reported: DatabaseError = error
  for (const [letter, name] of Object.entries(errorFields)) {
    const value = fields.get(letter)
    if (value !== undefined) reported[name] = value
  }
  return reported
}

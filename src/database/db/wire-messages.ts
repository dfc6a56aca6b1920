/*
 * Messages of PostgreSQL's wire protocol: what is sent together crosses to the database, and back, once.
 */

import { arrayText } from './array-text.ts'
import type { WriteStep } from './driver.ts'

/** A step with the name of its prepared statement, which is prepared first if `prepare` is true; '' is the unnamed one. */
export type NamedStep = WriteStep & Readonly<{ name: string; prepare: boolean }>

type Piece = { readonly text: string; readonly length: number } | Uint8Array

/**
 * Encodes one statement. `name` is the prepared statement to run, which is prepared first if `prepare` is true; '' is the unnamed one.
 * Errors: `TypeError` for a parameter that is not a string, number, boolean, null, bytes or a list of these.
 */
export function encodeStatement(
  statement: { name: string; sql: string; prepare: boolean },
  params: readonly unknown[],
): Uint8Array<ArrayBuffer> {
  const head = statement.prepare ? parse(statement.name, statement.sql) : []
  return join([...head, ...bind(statement.name, params), ...describe, ...execute, ...sync])
}

/** Encodes several statements in one text. */
export function encodeScript(sql: string): Uint8Array<ArrayBuffer> {
  return join(message('Q', [cString(sql)]))
}

/**
 * Encodes steps that write, as one message: the database runs them until one fails, and answers once. Errors: as for `encodeStatement`.
 */
export function encodeSteps(steps: readonly NamedStep[]): Uint8Array<ArrayBuffer> {
  const pieces: Piece[] = []
  for (const { name, sql, prepare, params = [], rows } of steps) {
    if (prepare) pieces.push(...parse(name, sql))
    pieces.push(...bind(name, params), ...execute)
    if (rows !== undefined) pieces.push(...message('d', [text(rows)]), ...copyDone)
  }
  return join([...pieces, ...sync])
}

/** Prepares a statement, in place of one of the same name: it may be left over from a step that failed. */
function parse(name: string, sql: string): Piece[] {
  return [...message('C', [text('S'), cString(name)]), ...message('P', [cString(name), cString(sql), int16(0)])]
}

function bind(name: string, params: readonly unknown[]): Piece[] {
  const values = params.map(encodeValue)
  const body: Piece[] = [cString(''), cString(name), int16(values.length)]
  for (const value of values) body.push(int16(value instanceof Uint8Array ? 1 : 0))
  body.push(int16(values.length))
  for (const value of values) {
    body.push(int32(value === null ? -1 : value.length))
    if (value !== null) body.push(value)
  }
  return message('B', [...body, int16(0)])
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

const describe: readonly Piece[] = message('D', [text('P'), cString('')])
const execute: readonly Piece[] = message('E', [cString(''), int32(0)])
const copyDone: readonly Piece[] = message('c', [])
const sync: readonly Piece[] = message('S', [])

/** The count at the end of a command tag: 5 in `INSERT 0 5`; 0 if there is none. */
export function countIn(tag: string): number {
  return Number(/\d+$/.exec(tag)?.[0] ?? 0)
}

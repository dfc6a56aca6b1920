/*
 * Messages of PostgreSQL's wire protocol: what is sent together crosses to the database, and back, once.
 */

import { arrayText } from './array-text.ts'
import type { WriteStep } from './driver.ts'

/** A step with the name of its prepared statement, which is prepared first if `prepare` is true; '' is the unnamed one. */
export type NamedStep = WriteStep & Readonly<{ name: string; prepare: boolean }>

type Part = { readonly text: string; readonly length: number } | Uint8Array

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
  const parts: Part[] = []
  for (const { name, sql, prepare, params = [], rows } of steps) {
    if (prepare) parts.push(...parse(name, sql))
    parts.push(...bind(name, params), ...execute)
    if (rows !== undefined) parts.push(...message('d', [text(rows)]), ...copyDone)
  }
  return join([...parts, ...sync])
}

/** Prepares a statement, in place of one of the same name: it may be left over from a step that failed. */
function parse(name: string, sql: string): Part[] {
  return [...message('C', [text('S'), cString(name)]), ...message('P', [cString(name), cString(sql), int16(0)])]
}

function bind(name: string, params: readonly unknown[]): Part[] {
  const values = params.map(encodeValue)
  const body: Part[] = [cString(''), cString(name), int16(values.length)]
  for (const value of values) body.push(int16(value instanceof Uint8Array ? 1 : 0))
  body.push(int16(values.length))
  for (const value of values) {
    body.push(int32(value === null ? -1 : value.length))
    if (value !== null) body.push(value)
  }
  return message('B', [...body, int16(0)])
}

function encodeValue(value: unknown, index: number): Part | null {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return value
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return text(String(value))
  if (Array.isArray(value)) return text(arrayText(value))
  throw new TypeError(`parameter $${index + 1}: give text, a number, a boolean, null, bytes or a list of these`)
}

function text(value: string): Part {
  return { text: value, length: Buffer.byteLength(value) }
}

function cString(value: string): Part {
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

function message(kind: string, body: readonly Part[]): Part[] {
  const length = body.reduce((sum, part) => sum + part.length, 4)
  return [text(kind), int32(length), ...body]
}

function join(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  // Not from Buffer's shared pool: the bytes are transferred to the worker with their underlying memory.
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const part of parts) {
    if (part instanceof Uint8Array) bytes.set(part, at)
    else bytes.write(part.text, at)
    at += part.length
  }
  return bytes
}

const describe: readonly Part[] = message('D', [text('P'), cString('')])
const execute: readonly Part[] = message('E', [cString(''), int32(0)])
const copyDone: readonly Part[] = message('c', [])
const sync: readonly Part[] = message('S', [])

/** The count at the end of a command tag: 5 in `INSERT 0 5`; 0 if there is none. */
export function countIn(tag: string): number {
  return Number(/\d+$/.exec(tag)?.[0] ?? 0)
}

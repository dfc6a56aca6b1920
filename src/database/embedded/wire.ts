/*
 * The responses of the database in the worker: each message (database/db/wire-messages.ts) has one response.
 * PGlite's own `query` enters WebAssembly five times per statement and cannot prepare statements; this enters it once.
 */

import { countIn } from '../db/wire-messages.ts'
import { type Column, readColumns, readRow } from './values.ts'

/** The response to one message: the rows of its last statement, or the first error, and whether a transaction is open. */
export interface WireResult {
  readonly rows: object[]
  readonly error: DatabaseError | TypeError | RangeError | undefined
  /** The command tag of the last statement, without its counts: SELECT, COMMIT ... */
  readonly command: string
  /** The rows that each statement returned or wrote. */
  readonly counts: readonly number[]
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

/** Decodes the response to one message. Never throws: a value that no driver may return (database/db/driver.ts) becomes the error of the result. */
export function decodeResponse(bytes: Uint8Array): WireResult {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let columns: readonly Column[] = []
  let rows: object[] = []
  let error: WireResult['error']
  let command = ''
  const counts: number[] = []
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
        {
          const tag = buffer.toString('latin1', body, end - 1)
          command = tag.replace(/[ 0-9]+$/, '')
          counts.push(countIn(tag))
        }
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
  return { rows, error, command, counts, isPrepared, isInTransaction }
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

import { PREPARED_MAX, type Session } from '../db/driver.ts'
import { encodeScript, encodeStatement, encodeSteps } from '../db/wire-messages.ts'
import type { Engine } from './engine.ts'
import { type DatabaseError, decodeResponse, type WireResult } from './wire.ts'

/** The single session of the embedded database, whoever holds it at the moment. */
export interface Statements extends Omit<Session, 'release'> {
  /** Waits for running statements and rolls back an open transaction; with `everything`, also runs DISCARD ALL. */
  clean(everything: boolean): Promise<void>
}

/**
 * Runs statements on the database's thread, one at a time: whether one is prepared is known only from the previous answer.
 * `onDamage` is called with an error that means damaged data, and returns the error to reject with.
 */
export function createStatements(engine: Engine, onDamage: (error: Error) => Error): Statements {
  const names = new Map<string, string>()
  const prepared = new Set<string>()
  let isInTransaction = false
  let last: Promise<void> = Promise.resolve()

  /** Awaits, rather than chaining with `then`, so that the stack of an error leads back to the caller. */
  async function runSerially<T>(run: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const earlier = last
    last = promise
    await earlier
    try {
      return await run()
    } finally {
      resolve()
    }
  }

  async function exchange(message: Uint8Array<ArrayBuffer>): Promise<WireResult> {
    const response = decodeResponse(await engine.send(message))
    isInTransaction = response.isInTransaction
    const state = sqlState(response)
    if (state === 'XX001' || state === 'XX002') throw onDamage(response.error!)
    return response
  }

  /** The name under which a statement is prepared, or is to be; '' if there are too many. */
  function named(sql: string): Readonly<{ name: string; prepare: boolean }> {
    if (names.size < PREPARED_MAX && !names.has(sql)) names.set(sql, `s${names.size + 1}`)
    const name = names.get(sql) ?? ''
    return { name, prepare: !prepared.has(name) }
  }

  async function run(sql: string, params: readonly unknown[]): Promise<object[]> {
    const { name, prepare } = named(sql)
    const response = await exchange(encodeStatement({ name, sql, prepare }, params))
    if (response.isPrepared && name !== '') prepared.add(name)
    if (isAltered(response)) prepared.delete(name)
    if (response.error !== undefined) throw response.error
    // This is how PostgreSQL answers COMMIT in a failed transaction, without an error: everything was rolled back.
    if (response.command === 'ROLLBACK' && /^\s*(commit|end)\b/i.test(sql)) throw notCommitted()
    return response.rows
  }

  async function runSteps(steps: Parameters<Session['batch']>[0]): ReturnType<Session['batch']> {
    // A COPY has no plan to be kept.
    const all = steps.map((step) => ({ ...step, ...(step.rows === undefined ? named(step.sql) : UNNAMED) }))
    const response = await exchange(encodeSteps(all))
    const { counts, error } = response
    for (const { name } of all.slice(0, counts.length)) if (name !== '') prepared.add(name)
    if (isAltered(response)) prepared.delete(all[counts.length]!.name)
    return { rowCounts: counts, error }
  }

  async function runMessage(message: Uint8Array<ArrayBuffer>): Promise<void> {
    const { error } = await exchange(message)
    if (error !== undefined) throw error
  }

  return {
    query: <Row extends object>(sql: string, params: readonly unknown[] = []) =>
      runSerially(() => run(sql, params)) as Promise<Row[]>,
    script: (sql) => runSerially(() => runMessage(encodeScript(sql))),
    batch: (steps) => runSerially(() => runSteps(steps)),
    clean: (everything) =>
      runSerially(async () => {
        if (isInTransaction) await runMessage(encodeScript('rollback'))
        if (!everything) return
        prepared.clear()
        await runMessage(encodeScript('discard all'))
      }),
  }
}

const UNNAMED = { name: '', prepare: true } as const

/** A table was altered under a prepared statement. The next call prepares it again. */
function isAltered(response: WireResult): boolean {
  return sqlState(response) === '0A000'
}

function sqlState({ error }: WireResult): string | undefined {
  return error !== undefined && 'code' in error ? error.code : undefined
}

function notCommitted(): DatabaseError {
  const error = new Error('the transaction had failed and was rolled back, not committed')
  return Object.assign(error, { code: '25P02', severity: 'ERROR' })
}

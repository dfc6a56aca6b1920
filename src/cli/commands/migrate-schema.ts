import { type Config, readConfig } from '../../config.ts'
import { assertPlaced, distributeTables } from '../../database/db/distribute.ts'
import { assertPermitsThisCode, findSchema, migrate, type SchemaFound, stepsAfter } from '../../database/db/migrate.ts'
import type { Db } from '../../database/db/transaction.ts'
import {
  copyBeforeUpgrade,
  findUpgradeCopy,
  isUndoInterrupted,
  noCopy,
  ordersSince,
  putCopyBack,
  type UpgradeCopy,
} from '../../database/embedded/upgrade-copy.ts'
import { OperatorError } from '../../errors.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { count } from '../../text.ts'
import { findRunningService } from '../data-directory.ts'
import { assertDatabaseThere, exitAtOnce, openDatabase } from '../database.ts'
import { CommandFailed } from '../failure.ts'
import { confirm } from '../input/confirm.ts'
import { readNumber } from '../input/number-option.ts'
import { printJson, printLine } from '../output/print.ts'

/** As long as a service waits: its database may be starting, too. */
const RESPONSE_TIMEOUT_MS = 60_000

type MigrateOptions = Readonly<{
  check?: true
  undo?: true
  distribute?: true
  shards?: string
  yes?: boolean
  json?: true
  copy: boolean
}>

/** `laurel migrate`: for operators who want to migrate the schema separately, before a new version starts. */
export async function migrateSchema(options: MigrateOptions): Promise<void> {
  const { check, undo, distribute, yes = false, json, copy } = options
  const config = readConfig()
  if (check && undo) throw new OperatorError('--check and --undo exclude each other')
  const shards = shardsIn(options)
  if (distribute && config.databaseUrl === undefined)
    throw new OperatorError('an embedded database is on one machine: nothing to distribute')
  if (check) return await checkSchema(config, json)
  if (undo) return await undoUpgrade(config, yes, json)
  let isNewer = false
  let copied = ''
  const observe: Observe = (observation) => {
    isNewer ||= observation.kind === 'database-newer'
    if (observation.kind === 'database-copied') copied = observation.directory
  }
  const { ran, moved } = await withOpened(config, async (db) => {
    const ran = await migrate(db, performance.now() + RESPONSE_TIMEOUT_MS, observe, async (from, to) => {
      if (copy) await copyBeforeUpgrade(db, from, to, observe)
    })
    if (distribute) return { ran, moved: await distributeTables(db, shards) }
    await assertPlaced(db, performance.now() + RESPONSE_TIMEOUT_MS)
    return { ran }
  })
  if (json)
    return printJson({
      applied: ran,
      ...(copied === '' ? {} : { copied_to: copied }),
      ...(moved && { distributed: moved }),
    })
  if (copied !== '') printLine`copied to: ${copied}`
  printLine`${ran.length === 0 ? nothingToRun(isNewer) : `applied: ${ran.join(', ')}`}`
  if (moved) printLine`${moved.length === 0 ? 'all tables are distributed' : `distributed: ${moved.join(', ')}`}`
}

const SHARDS_MAX = 1_024

/** Errors: OperatorError. */
function shardsIn({ distribute, shards }: MigrateOptions): number | undefined {
  if (shards === undefined) return undefined
  if (!distribute) throw new OperatorError('--shards is for --distribute only')
  return readNumber('--shards', shards, 1, SHARDS_MAX)
}

/** `laurel migrate --check`: the steps that `laurel migrate` would run. Errors: CommandFailed if there are any. */
async function checkSchema(config: Config, json: true | undefined): Promise<void> {
  const schema = await readSchema(config)
  assertPermitsThisCode(schema)
  const { version } = schema
  const steps = stepsAfter(version)
  const latest = stepsAfter(0).length
  const lines = steps.map((step) => ({ version: step.version, does: step.does, locks: locksOf(step) }))
  if (json) printJson({ schema_version: version, release_version: latest, steps: lines })
  else for (const { version, does, locks } of lines) printLine`${version} ${does}; ${locks}`
  if (steps.length > 0)
    throw new CommandFailed(
      `schema version ${version}, this release requires ${latest}: ${count(steps.length, 'step')} to run`,
    )
  if (!json) printLine`${nothingToRun(version > latest)}`
}

/** The schema of the database. A service that holds the embedded database has noted it, unless it is older than that note. */
async function readSchema(config: Config): Promise<SchemaFound> {
  const { schemaVersion, oldestSchemaVersion } = (await findRunningService(config)) ?? {}
  if (schemaVersion !== undefined) return { version: schemaVersion, oldestVersion: oldestSchemaVersion }
  assertDatabaseThere(config)
  return await withOpened(config, (db) => findSchema(db, performance.now() + RESPONSE_TIMEOUT_MS))
}

/**
 * `laurel migrate --undo`: puts back the copy of the embedded database from before it was last migrated, once somebody agrees to what is lost.
 * Errors: OperatorError on PostgreSQL, if the last migration made no copy, if nobody agrees, or while the database is in use.
 */
async function undoUpgrade(config: Config, yes: boolean, json: true | undefined): Promise<void> {
  const { databaseUrl, dataDirectory } = config
  if (databaseUrl !== undefined)
    throw new OperatorError(
      'nothing to undo on PostgreSQL: migrations only add, and the release before runs on the new schema',
    )
  const copy = findUpgradeCopy(dataDirectory)
  if (copy === undefined) throw noCopy(dataDirectory)
  // Nobody is asked again when a process was killed after it had asked.
  const lost = isUndoInterrupted(dataDirectory) ? null : await withOpened(config, (db) => ordersLost(db, copy))
  const what = `${count(lost ?? 0, 'order')} recorded since ${copy.madeAt}, and every other change since then,`
  if (lost !== null) await confirm(`${what} would be lost.`, yes)
  const aside = await putCopyBack(dataDirectory, copy)
  if (json) return printJson({ schema_version: copy.from, as_of: copy.madeAt, orders_lost: lost, set_aside: aside })
  printLine`the database is as it was at ${copy.madeAt}, with schema version ${copy.from}: start the release before`
  printLine`${lost === null ? 'what was recorded since' : what} is only in ${aside}`
}

/** How many orders were recorded since a copy was made. Errors: OperatorError if the database was migrated without a copy since then. */
async function ordersLost(db: Db, copy: UpgradeCopy): Promise<number> {
  const { version } = await findSchema(db, performance.now() + RESPONSE_TIMEOUT_MS)
  if (version > copy.to)
    throw new OperatorError(
      `the last migration, to schema version ${version}, made no copy to put back: ${copy.name} is from before an earlier one`,
    )
  return await ordersSince(db, copy)
}

/** Runs `act` on the database of a configuration, in whatever version its schema is, and closes it. Errors: see `openDatabase`. */
async function withOpened<T>(config: Config, act: (db: Db) => Promise<T>): Promise<T> {
  const db = await openDatabase(config, () => undefined, exitAtOnce)
  try {
    return await act(db)
  } finally {
    await db.close()
  }
}

function locksOf({ locks }: ReturnType<typeof stepsAfter>[number]): string {
  return locks === undefined ? 'locks nothing' : `locks ${locks.tables.join(' and ')} for ${locks.for}`
}

function nothingToRun(isNewer: boolean): string {
  return isNewer
    ? 'the schema is newer than this release, but compatible: nothing was changed'
    : 'the schema is up to date'
}

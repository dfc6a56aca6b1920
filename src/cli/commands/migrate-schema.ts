import { readConfig } from '../../config.ts'
import { migrate, schemaVersion, stepsAfter } from '../../database/db/migrate.ts'
import { count } from '../../text.ts'
import { findRunningService } from '../data-directory.ts'
import { assertDatabaseThere, exitAtOnce, openDatabase } from '../database.ts'
import { CommandFailed } from '../failure.ts'
import { printJson, printLine } from '../output/print.ts'

/** As long as a service waits: its database may be starting, too. */
const RESPONSE_TIMEOUT_MS = 60_000

type MigrateOptions = Readonly<{ check?: true; json?: true }>

/** `laurel migrate`: for operators who want to migrate the schema separately, before a new version starts. */
export async function migrateSchema({ check, json }: MigrateOptions): Promise<void> {
  if (check) return await checkSchema(json)
  const db = await openDatabase(readConfig(), () => undefined, exitAtOnce)
  try {
    let isNewer = false
    const ran = await migrate(db, performance.now() + RESPONSE_TIMEOUT_MS, ({ kind }) => {
      isNewer ||= kind === 'database-newer'
    })
    if (json) return printJson({ applied: ran })
    printLine`${ran.length === 0 ? nothingToRun(isNewer) : `applied: ${ran.join(', ')}`}`
  } finally {
    await db.close()
  }
}

/** `laurel migrate --check`: the steps that `laurel migrate` would run. Errors: CommandFailed if there are any. */
async function checkSchema(json: true | undefined): Promise<void> {
  const version = await versionFound()
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

/** The version of the schema. A service that holds the embedded database has noted it, unless it is older than that note. */
async function versionFound(): Promise<number> {
  const config = readConfig()
  const noted = (await findRunningService(config))?.schemaVersion
  if (noted !== undefined) return noted
  assertDatabaseThere(config)
  const db = await openDatabase(config, () => undefined, exitAtOnce)
  try {
    return await schemaVersion(db, performance.now() + RESPONSE_TIMEOUT_MS)
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

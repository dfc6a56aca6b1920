import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { printJson, printLine } from '../output/print.ts'

export function defineMigrate(command: Command): void {
  command.option('--json', 'as JSON').action(runMigrations)
}

/** As long as a service waits: its database may be starting, too. */
const RESPONSE_TIMEOUT_MS = 60_000

/** `laurel migrate`: for operators who want to migrate the schema separately, before a new version starts. */
async function runMigrations({ json }: { json?: true }): Promise<void> {
  // Loaded only here: help needs no database.
  const [{ migrate }, { exitAtOnce, openDatabase }] = await Promise.all([
    import('../../database/db/migrate.ts'),
    import('../database.ts'),
  ])
  const db = await openDatabase(readConfig(), () => undefined, exitAtOnce)
  try {
    let isNewer = false
    const ran = await migrate(db, performance.now() + RESPONSE_TIMEOUT_MS, ({ kind }) => {
      isNewer ||= kind === 'database-newer'
    })
    if (json) return printJson({ applied: ran })
    const nothing = isNewer
      ? 'the schema is newer than this release, but compatible: nothing was changed'
      : 'the schema is up to date'
    printLine`${ran.length === 0 ? nothing : `applied: ${ran.join(', ')}`}`
  } finally {
    await db.close()
  }
}

import { resolve } from 'node:path'
import project from '../../../package.json' with { type: 'json' }
import { type Config, readConfig } from '../../config.ts'
import { withBackupText } from '../../database/backup/backup-file.ts'
import { restoreBackup } from '../../database/backup/restore.ts'
import { OperatorError } from '../../errors.ts'
import { count } from '../../text.ts'
import { findRunningService } from '../data-directory.ts'
import { withDatabase, withNewDatabase } from '../database.ts'
import { printJson, printLine } from '../output/print.ts'
import { countingRows } from '../output/progress.ts'
import { verifyDatabase } from './ledger-verify.ts'

/**
 * `laurel move --to`: copies everything into an empty database, and verifies the ledger on both sides. Nobody may write meanwhile. Errors: OperatorError
 * if a service holds the embedded database, or the other is not empty; CommandFailed if a ledger has differences. The other database is empty, or whole.
 */
export async function moveDatabase({ to, json }: Readonly<{ to: string; json?: true }>): Promise<void> {
  const config = readConfig()
  const target = targetOf(config, to)
  const running = await findRunningService(config)
  if (running !== undefined)
    throw new OperatorError(`a service (process ${running.pid}) holds ${config.dataDirectory}: stop it first`)
  const { moved, here, there } = await withDatabase((source) =>
    withNewDatabase(target, async (db) => {
      const here = await verifyDatabase(source)
      const options = { laurel: project.version, at: new Date().toISOString(), onRows: () => undefined, locks: true }
      return withBackupText(source, options, async (text) => {
        const moved = await countingRows((onRows) => restoreBackup(db, text, onRows))
        // Meanwhile, nobody can write here what would then be missing there.
        return { moved, here, there: await verifyDatabase(db) }
      })
    }),
  )
  if (json) return printJson({ rows: moved.rows, verified: [here.document, there.document] })
  printLine`moved: ${count(moved.rows, 'row')}`
  printLine`here: ${here.text}`
  printLine`there: ${there.text}`
  if (target.databaseUrl !== undefined) printLine`next: start services with DATABASE_URL set to the new database`
  else printLine`next: start the service with LAUREL_DATA=${target.dataDirectory} and without DATABASE_URL`
  printLine`tokens stay valid; what is still written to the old database stays there`
}

/** Errors: OperatorError if it is the same database. */
function targetOf(config: Config, to: string): Config {
  const isServer = /^postgres(?:ql)?:/.test(to)
  const target = isServer
    ? { ...config, databaseUrl: to }
    : { ...config, databaseUrl: undefined, dataDirectory: resolve(to) }
  const isSame = isServer
    ? to === config.databaseUrl
    : config.databaseUrl === undefined && target.dataDirectory === resolve(config.dataDirectory)
  if (isSame) throw new OperatorError('--to is the database that the settings name: expected another one')
  return target
}

/*
 * npm runs this at the end of `npm ci` and `npm install`: it makes the database that first starts unpack, unless there is one, and builds the
 * console. Nothing depends on it: without the file, a first start makes its database itself, so it never fails an installation.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPglite } from '../src/database/embedded/driver.ts'
import { freshDatabaseFile, packDatabase } from '../src/database/embedded/fresh-database.ts'
import { buildConsoleIfPossible } from './build-console.ts'

const home = mkdtempSync(join(tmpdir(), 'laurel-prepare-'))
try {
  if (!existsSync(freshDatabaseFile)) await makeFreshDatabase()
} catch (error) {
  console.error(`laurel: the first start will take longer, as no database was prepared for it: ${error}`)
} finally {
  rmSync(home, { recursive: true, force: true })
}
await buildConsoleIfPossible()

async function makeFreshDatabase(): Promise<void> {
  const driver = await openPglite(home, {
    onFatal(error) {
      throw error
    },
  })
  await driver.close()
  packDatabase(join(home, 'pglite'), freshDatabaseFile)
}

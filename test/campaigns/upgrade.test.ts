import { appendFileSync, cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { ADDING_MIGRATION, migrationFiles } from '../support/installed-code.ts'
import { THIS_CHECKOUT, temporaryDirectory } from '../support/service-process.ts'
import { runUpgradeCampaign } from './upgrade.ts'

// An older checkout is not there in every clone. So the older code is today's, and the newer one is today's with a migration more: it shows that what
// is released today runs on the schema of a next release, and while that migrates; not that today's code runs beside the one before it.
test("today's code serves 16 clients while a newer version adds a column to every table and serves them, too, and an upgrade of the embedded database is undone (decision 219)", async (t) => {
  await runUpgradeCampaign({
    ...{ older: THIS_CHECKOUT, newer: nextRelease(t) },
    ...{ clients: 16, seconds: 8, kills: 0 },
    say: (line) => t.diagnostic(line),
  })
})

/** A copy of this checkout with one more migration. */
function nextRelease(t: TestContext): string {
  const copy = join(temporaryDirectory(t), 'next')
  for (const part of ['package.json', 'bin', 'schemas', 'src'])
    cpSync(join(THIS_CHECKOUT, part), join(copy, part), { recursive: true })
  symlinkSync(join(THIS_CHECKOUT, 'node_modules'), join(copy, 'node_modules'))
  const next = migrationFiles.length + 1
  const migrations = join(copy, 'src/database/migrations')
  writeFileSync(join(migrations, `${String(next).padStart(4, '0')}.do.later.sql`), ADDING_MIGRATION)
  appendFileSync(
    join(migrations, 'steps.ts'),
    `Object.assign(MIGRATION_STEPS, { ${next}: { does: 'adds a column to every table' } })\n`,
  )
  return copy
}

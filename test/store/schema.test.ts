import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { readSchemaText } from '../../scripts/schema-text.ts'
import { migrate } from '../../src/database/db/migrate.ts'
import { readerOf } from '../../src/database/db/reader.ts'
import { forEachDatabase } from '../support/databases.ts'

const soon = () => performance.now() + 60_000

forEachDatabase((_, openTestDb) => {
  test('schema.sql matches the result of the migrations', async (t) => {
    const db = await openTestDb(t)
    await migrate(db, soon())
    const text = readFileSync(new URL('../../src/database/schema.sql', import.meta.url), 'utf8')
    assert.equal(
      await readSchemaText(readerOf(db, soon())),
      text,
      'src/database/schema.sql is out of date: npm run schemas',
    )
  })

  test('a schema with objects that schema.sql cannot show is refused', async (t) => {
    const db = await openTestDb(t)
    for (const [sql, name] of [
      ['create view seen as select 1 as one', 'seen'],
      ['create function answer() returns int language sql return 42', 'answer'],
    ] as const) {
      const undone = db.transaction(async (tx) => {
        await tx.script(sql)
        await readSchemaText(tx)
      }, soon())
      await assert.rejects(undone, new RegExp(`schema-text.ts does not show these yet: ${name}$`))
    }
  })
})

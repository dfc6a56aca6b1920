/*
 * `npm run schemas`: regenerates schemas/ from the code, and src/store/schema.sql from a database that the migrations have made.
 * Tests fail if they differ.
 */
import { writeFileSync } from 'node:fs'
import { programSchemaText } from '../src/points/program-schema.ts'
import { migrate } from '../src/store/db/migrate.ts'
import { readerOf } from '../src/store/db/reader.ts'
import { createDb } from '../src/store/db/transaction.ts'
import { openPglite } from '../src/store/embedded/driver.ts'
import { readSchemaText } from './schema-text.ts'
import './write-openapi.ts'

const fileOf = (path: string) => new URL(`../${path}`, import.meta.url)

writeFileSync(fileOf('schemas/program.json'), programSchemaText())

const onFatal = (error: Error) => {
  throw error
}
const db = createDb(await openPglite(undefined, { onFatal }))
const deadlineAt = performance.now() + 60_000
await migrate(db, deadlineAt)
writeFileSync(fileOf('src/store/schema.sql'), await readSchemaText(readerOf(db, deadlineAt)))
await db.close()

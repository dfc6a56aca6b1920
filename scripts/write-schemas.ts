/*
 * `npm run schemas`: regenerates schemas/ from the code, and src/database/schema.sql from a database that the migrations have made.
 * Tests fail if they differ.
 */
import { writeFileSync } from 'node:fs'
import { migrate } from '../src/database/db/migrate.ts'
import { readerOf } from '../src/database/db/reader.ts'
import { createDb } from '../src/database/db/transaction.ts'
import { openPglite } from '../src/database/embedded/driver.ts'
import { casesSchemaText } from '../src/engine/ingest/cases/cases-schema.ts'
import { programSchemaText } from '../src/engine/points/program-schema.ts'
import { responseShapesText } from './response-shapes.ts'
import { readSchemaText } from './schema-text.ts'
import './write-openapi.ts'

const fileOf = (path: string) => new URL(`../${path}`, import.meta.url)

writeFileSync(fileOf('schemas/program.json'), programSchemaText())
writeFileSync(fileOf('schemas/cases.json'), casesSchemaText())
writeFileSync(fileOf('schemas/responses.json'), responseShapesText())

const onFatal = (error: Error) => {
  throw error
}
const db = createDb(await openPglite(undefined, { onFatal }))
const deadlineAt = performance.now() + 60_000
await migrate(db, deadlineAt)
writeFileSync(fileOf('src/database/schema.sql'), await readSchemaText(readerOf(db, deadlineAt)))
await db.close()

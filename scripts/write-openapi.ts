/*
 * Writes schemas/openapi.json from the code; part of `npm run api` and of `npm run schemas`. A test fails if it differs.
 */
import { writeFileSync } from 'node:fs'
import { openApiDocument } from './openapi-document.ts'

writeFileSync(new URL('../schemas/openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`)

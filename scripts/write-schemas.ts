/*
 * `npm run schemas`: writes what stands in schemas/ anew, from the code. A test fails where the two differ.
 */
import { writeFileSync } from 'node:fs'
import { programSchemaText } from '../src/points/program-schema.ts'

writeFileSync(new URL('../schemas/program.json', import.meta.url), programSchemaText())

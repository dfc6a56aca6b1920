/*
 * `npm run schemas`: regenerates schemas/ from the code. A test fails where they differ.
 */
import { writeFileSync } from 'node:fs'
import { programSchemaText } from '../src/points/program-schema.ts'

writeFileSync(new URL('../schemas/program.json', import.meta.url), programSchemaText())

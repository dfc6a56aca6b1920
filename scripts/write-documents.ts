/*
 * `npm run documents`: writes the tables of documents that the code knows, such as the settings. A test fails if they differ.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { writeBlocks } from './documents/blocks.ts'

const fileOf = (path: string) => new URL(`../${path}`, import.meta.url)

for (const { path, text } of await writeBlocks((path) => readFileSync(fileOf(path), 'utf8')))
  writeFileSync(fileOf(path), text)

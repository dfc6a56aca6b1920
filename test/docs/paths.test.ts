/*
 * Every file that a document names exists, so that documents follow when code moves; and no text leads to a stranger's package.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listDocuments, PROJECT, readDocument } from '../support/docs-blocks.ts'

/** Files of the code are named relative to `src/`, all others relative to the project's root. */
const NAMED = /`((?:[\w-]+\/)+[\w-]+\.(?:ts|sql))`/g

test('every file of the code that a document names is there', () => {
  const named = listDocuments()
    .filter((path) => /^(README|ARCHITECTURE|CONTRIBUTING|docs|examples|bench)/.test(path))
    .flatMap((path) => [...readDocument(path).matchAll(NAMED)].map(([, file]) => ({ path, file: file! })))
  assert(named.length > 10, 'the names were not found')
  const isThere = (file: string) => existsSync(join(PROJECT, 'src', file)) || existsSync(join(PROJECT, file))
  assert.deepEqual(
    named.filter(({ file }) => !isThere(file)),
    [],
  )
})

test('no document, message or page tells anybody to run npx laurel without --no, which may download a package of another owner', () => {
  const texts = globSync(['*.md', '{docs,examples}/**/*.md', '{src,console/src}/**/*.{ts,tsx}'], { cwd: PROJECT })
  const telling = texts.filter(
    (path) => path !== 'CHANGELOG.md' && readFileSync(join(PROJECT, path), 'utf8').includes('npx laurel'),
  )
  assert(texts.length > 100, 'the texts were not found')
  assert.deepEqual(telling, [])
})

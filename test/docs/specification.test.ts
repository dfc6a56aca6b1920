/*
 * The contract is part of the project: whoever reads "specification 2.1" finds it in docs/specification.md.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'

const PAGE = 'docs/specification.md'

/** `specification 4.2 and 4.3`, `specification 2.1, 2.3 and 5`. */
const CITATION = /\bspecification (\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*)*)/gi

const sections = [...readDocument(PAGE).matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number!)

test('every citation of the specification names a section of docs/specification.md', () => {
  const files = globSync(['{src,test,bench,examples,scripts}/**/*.{ts,sql}', '*.md', '{docs,bench,examples}/**/*.md'], {
    cwd: PROJECT,
    exclude: ['**/node_modules'],
  })
  const cited = files.flatMap((path) =>
    [...readFileSync(join(PROJECT, path), 'utf8').matchAll(CITATION)].flatMap(([, numbers]) =>
      numbers!.split(/, | and /).map((number) => ({ path, number })),
    ),
  )
  assert(cited.length > 15, 'the citations were not found')
  assert.deepEqual(
    cited.filter(({ number }) => !sections.includes(number)),
    [],
  )
})

test('the sections of docs/specification.md are numbered without a gap', () => {
  const places = sections.map((number) => number.split('.').map(Number))
  for (const [index, [chapter = 0, part = 0]] of places.entries()) {
    const [chapterBefore = 0, partBefore = 0] = places[index - 1] ?? []
    const expected = part === 0 ? [chapterBefore + 1, 0] : [chapterBefore, partBefore + 1]
    assert.deepEqual([chapter, part], expected, `section ${sections[index]}`)
  }
  assert.equal(sections.at(-1), '9')
})

test('docs/specification.md links every decision that callers can observe', () => {
  const linked = [...readDocument(PAGE).matchAll(/\]\(decisions\/0*(\d+)-/g)].map(([, number]) => Number(number))
  const [, observable] = /^## Interface decisions\n(.*?)^## /ms.exec(readDocument('docs/decisions/README.md'))!
  const decided = [...observable!.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))
  assert.deepEqual(
    [...new Set(linked)].sort((a, b) => a - b),
    decided,
  )
})

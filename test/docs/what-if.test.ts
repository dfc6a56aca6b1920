/*
 * The pictures of docs/what-if.md are screenshots of the page that its first backtest writes, taken by `npm run pictures -- --screenshots`. Their
 * alternative texts name its figures, which are computed again here: where one fails, take the screenshots again.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { backtestClub } from '../../scripts/pictures/club.ts'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'

const DOCUMENT = 'docs/what-if.md'
const BYTES_MAX = 150_000
const SIGNATURE = '89504e470d0a1a0a'
const pictures = [...readDocument(DOCUMENT).matchAll(/!\[([^\]]+)\]\((pictures\/[^)]+)\)/g)].map(([, alt, path]) => ({
  alt: alt!,
  file: readFileSync(join(PROJECT, 'docs', path!)),
}))

test('the pictures are small PNG files with a description for those who cannot see them', () => {
  assert.equal(pictures.length, 2)
  for (const { alt, file } of pictures) {
    assert.equal(file.toString('hex', 0, 8), SIGNATURE)
    assert(file.length < BYTES_MAX, `${file.length} bytes`)
    assert(alt.length > 100, alt)
  }
})

test('the pictures show what a backtest says now, by the figures of their descriptions', async () => {
  const page = await backtestClub()
  for (const { alt } of pictures) {
    const figures = alt.match(/[+-]?\d[\d,.-]*\d|\d/g) ?? []
    assert(figures.length > 5)
    for (const figure of figures) assert(standsIn(page, figure), `${figure} does not stand in the page`)
  }
})

/** Finds a whole number, not a part of a longer one. */
function standsIn(page: string, figure: string): boolean {
  return new RegExp(`(?<![\\d,.+-])${RegExp.escape(figure)}(?![\\d]|[,.-]\\d)`).test(page)
}

/*
 * The pictures of docs/what-if.md are screenshots of the page that its first backtest writes, taken by `npm run pictures -- --screenshots`. Their
 * alternative texts name its figures, which are computed again here: where one fails, take the screenshots again. The README's picture of the same
 * backtest is compared as it is.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openCsv, readInvoices } from '../../examples/online-retail/invoices.ts'
import { toPlayers } from '../../examples/online-retail/records.ts'
import { toStates } from '../../examples/online-retail/states.ts'
import { backtestPicture } from '../../scripts/pictures/backtest.ts'
import { documentOf } from '../../src/resources/backtests/backtest-document.ts'
import { pageOf } from '../../src/resources/backtests/backtest-page.ts'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'
import { openTestApp, type TestApp } from '../support/test-app.ts'

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

test('the pictures show what a backtest says now: the drawn one as it is, the screenshots by the figures of their descriptions', async (t) => {
  const app = await openTestApp(t, { now: () => new Date('2026-01-01T00:00:00Z') })
  const found = await backtestOfTheDocument(app)
  assert.equal(readFileSync(join(PROJECT, 'docs/pictures/backtest.svg'), 'utf8'), backtestPicture(found))
  const page = pageOf(found)
  for (const { alt } of pictures) {
    const figures = alt.match(/[+-]?\d[\d,.-]*\d|\d/g) ?? []
    assert(figures.length > 5)
    for (const figure of figures) assert(standsIn(page, figure), `${figure} does not stand in the page`)
  }
})

/** The backtest of docs/what-if.md: the orders up to the end of July under the club's program. */
async function backtestOfTheDocument(app: TestApp) {
  const invoices = await readInvoices(
    openCsv(join(PROJECT, 'examples/online-retail/extract/online-retail-extract.csv')),
  )
  const { states } = toStates(invoices.filter(({ at }) => at < '2011-08-01'))
  assert.equal((await app.upsertPlayers(toPlayers(invoices))).status, 200)
  assert.equal((await app.record(states.map(({ order }) => order))).status, 200)
  const source = readFileSync(join(PROJECT, 'examples/online-retail/club.yaml'), 'utf8')
  const request = { source, now: '2026-01-01T00:00:00Z' }
  return documentOf(await backtestProgram(app.service.db, request, () => undefined), '0.01')
}

/** Finds a whole number, not a part of a longer one. */
function standsIn(page: string, figure: string): boolean {
  return new RegExp(`(?<![\\d,.+-])${RegExp.escape(figure)}(?![\\d]|[,.-]\\d)`).test(page)
}

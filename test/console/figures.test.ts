/*
 * Every figure that the console shows, recomputed from the answers of the API that the page was given.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page, Response } from 'playwright-core'
import { foldAccounts } from '../../src/resources/statistics/fold-accounts.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { emptyService, walk } from '../support/console-walk.ts'

const SOURCE = `name: London
time-zone: Europe/London
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Gold, from: 100000000 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 1 } }
  - { name: extra, per-amount: { points: 1, every: 7 } }
points: { expire: { after: P12M } }
redeem: { value: { points: 100, pays: 1 }, step: 100 }
`
const IDS = ['asha@example.com', '1234567890'] as const
const DAY_MS = 86_400_000

/** The text of what a page shows, without what is typed, drawn or copied, and without moments and ids, which are no figures. */
const SHOWN = `(() => {
  const copy = document.querySelector('main').cloneNode(true)
  for (const one of copy.querySelectorAll('time, svg, pre, code, input, select, textarea, .mono, .tip, .segments, [popover], output')) one.remove()
  const texts = []
  const walker = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode.textContent)
  return texts.join(' ').replace(/\\d+ (?:second|minute|hour|day|month|year)s? ago|Last \\d+ days/g, '')
})()`
const CARDS = `[...document.querySelectorAll('.figure')].map((card) =>
  [(card.querySelector('dt button') ?? card.querySelector('dt')).textContent.trim(), (card.querySelector('dd .choose') ?? card.querySelector('dd')).textContent])`

// biome-ignore lint/suspicious/noExplicitAny: answers of many routes
type Json = any

/** The last answer of each route that a page has asked for. */
function answersOf(page: Page): Map<string, Json> {
  const answers = new Map<string, Json>()
  page.on('response', async (response: Response) => {
    const { pathname, search } = new URL(response.url())
    if (!pathname.startsWith('/api/') || response.status() !== 200) return
    answers.set(decodeURIComponent(pathname + search), await response.json().catch(() => undefined))
  })
  return answers
}

/** The answer for a path; of two spans that are compared, the later one. */
function answerOf(answers: Map<string, Json>, path: string): Json {
  const found = [...answers].filter(([address]) => address.startsWith(path)).map(([, answer]) => answer)
  assert(found.length > 0, `nobody asked for ${path}`)
  return found.toSorted((one, other) => ((one.to ?? '') < (other.to ?? '') ? 1 : -1))[0]
}

/** Each number in an answer, of fields and within texts. */
function numbersIn(value: Json): string[] {
  if (value === null || value === undefined || typeof value === 'boolean') return []
  if (typeof value !== 'object') return String(value).match(/\d+(?:\.\d+)?/g) ?? []
  return Object.entries(value).flatMap(([key, inner]) => [...numbersIn(key), ...numbersIn(inner)])
}

/** Each fraction in an answer, like 10/3, rounded to hundredths as it is shown. */
function fractionsIn(answer: Json): string[] {
  const fractions = JSON.stringify(answer).match(/\d+\/\d+/g) ?? []
  return fractions.map((fraction) => {
    const [over, under] = fraction.split('/').map(BigInt) as [bigint, bigint]
    return inHundredths((over * 200n + under) / (under * 2n))
  })
}

function inHundredths(number: bigint): string {
  return `${number / 100n}.${String(number % 100n).padStart(2, '0')}`.replace(/\.?0+$/, '')
}

const plain = (text: string) => text.replaceAll(',', '').replace(/^0+(?=\d)/, '')
const grouped = (number: bigint | number | string) => BigInt(number).toLocaleString('en-GB').replace('-', '−')
/** The sum of decimals with up to six places, rounded to hundredths, without its sign. */
function roundedSum(decimals: readonly string[]): string {
  const millionths = decimals
    .map((text) => {
      const [whole = '', places = ''] = text.split('.')
      return BigInt(`${whole}${places.padEnd(6, '0')}`)
    })
    .reduce((all, one) => all + one, 0n)
  return inHundredths(((millionths < 0n ? -millionths : millionths) + 5_000n) / 10_000n)
}
const share = (part: number, all: number) => (all === 0 ? '0' : ((part / all) * 100).toFixed(1).replace(/\.0$/, ''))

/** Numbers with three or more digits must be grouped, whole, and among those of the answers or those that follow from them. */
function assertFiguresAreKnown(
  shown: string,
  answers: Map<string, Json>,
  derived: readonly (string | bigint | number)[],
) {
  const told = [...answers.values()].flatMap((answer) => [...numbersIn(answer), ...fractionsIn(answer)])
  const known = new Set([...told, ...derived.map(String)].map(plain))
  const figures = shown.match(/\d[\d,]*(?:\.\d+)?/g) ?? []
  const strange = figures.filter((figure) => !known.has(plain(figure)))
  assert.deepEqual(strange, [], `figures that follow from no answer, in: ${shown}`)
  return figures.length
}

/** A service whose figures have nine digits. */
async function largeService(t: Parameters<typeof emptyService>[0]) {
  const app = await emptyService(t)
  const good = async (asked: ReturnType<typeof app.ask>) => {
    const { status, text } = await asked
    assert.equal(status, 200, text)
  }
  const data = { source: SOURCE, from: '2020-01-01T00:00:00Z' }
  await good(app.ask('POST', '/api/admin/programs', { body: { data } }))
  await good(app.upsertPlayers(IDS.map((id, index) => aPlayer({ User_id: id, Refercode: `CODE${index}` }))))
  await good(app.upsertProducts([aProduct(), aProduct({ product_sku_id: 'mug', amount: '987654321.25' })]))
  const order = (order_id: string, user: 0 | 1, total: string, daysAgo: number, more: object = {}) => ({
    ...anOrder({ order_id, user_id: IDS[user], total_amount: total }),
    ordered_at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    ...more,
  })
  const predicted = order('o-3', 0, '311222333.4', 0)
  await good(app.predict(predicted))
  await good(
    app.record([
      order('o-1', 0, '987654321', 3),
      order('o-2', 1, '123456789', 2),
      predicted,
      order('o-4', 1, '0', 1),
      order('o-5', 1, '222333444', 1),
      order('o-old', 0, '111222333', 40),
    ]),
  )
  await good(app.record([order('o-5', 1, '222333444', 1, { status: 'cancelled' })]))
  const spent = { id: 'till-1', points: -123456, counts: false, reason: 'spent' }
  await good(app.ask('POST', `/api/players/${encodeURIComponent(IDS[0])}/adjustments`, { body: { data: spent } }))
  await app.service.deps.predictions.flush()
  await app.service.deps.activity.flush()
  assert(await foldAccounts(app.service.deps))
  return app
}

test('every figure on every page follows from the answers of the API, with nine digits, and ids that are addresses and numbers', async (t) => {
  const app = await largeService(t)
  const { page, open } = await walk(t, { timeZone: 'America/New_York' }, app)
  const answers = answersOf(page)
  const visit = async (path: string, heading: string, seen: string | RegExp) => {
    answers.clear()
    await open(path, heading)
    await page.getByText(seen).first().waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await page.locator('main .skeleton').count(), 0, `${path} is still loading`)
    return {
      shown: String(await page.evaluate(SHOWN)),
      cards: new Map((await page.evaluate(CARDS)) as [string, string][]),
    }
  }

  const overview = await visit('/', 'Overview', 'Players by level')
  const summary = answerOf(answers, '/api/admin/statistics/summary')
  const of = (name: string) => summary.figures.find(({ figure }: Json) => figure === name)
  const rules = answerOf(answers, '/api/admin/statistics/rules').lines
  const levels = answerOf(answers, '/api/admin/statistics/levels')
  const ordersBy = answerOf(answers, '/api/admin/statistics/orders').lines
  const sumOfRules = Map.groupBy(rules as Json[], ({ measure, key }) => `${measure} ${key}`)
  const nothings = ordersBy.filter(({ measure }: Json) => measure === 'nothing')
  const players = levels.levels.reduce((all: number, { n }: Json) => all + n, 0)
  const compared = of('came-true').n + of('differed').n
  for (const [name, value] of [
    ['Points issued', grouped(of('issued').points)],
    ['Taken back', grouped(-BigInt(of('taken-back').points))],
    ['Spent', grouped(-BigInt(of('spent').points))],
    ['Owed', grouped(of('outstanding').points)],
    ['Orders', grouped(of('orders').n)],
    ['Earning nothing', `${share(of('nothing').n, of('orders').n)} %`],
    ['Kept promises', compared === 0 ? '– %' : `${share(of('came-true').n, compared)} %`],
  ] as const)
    assert.equal(overview.cards.get(name)?.split(':')[0], value, name)
  assert(BigInt(of('outstanding').points) > 100_000_000n)
  assertFiguresAreKnown(overview.shown, answers, [
    ...[...sumOfRules.values()].map((ofRule) => roundedSum(ofRule.map(({ points }) => points))),
    ...levels.levels.map(({ n }: Json) => share(n, players)),
    ...nothings.map(({ n }: Json) => share(n, sumN(nothings))),
    ...changesOf(summary.figures),
    ...daysOf(overview.shown),
    share(of('nothing').n, of('orders').n),
    ...(compared === 0 ? [] : [share(of('came-true').n, compared)]),
    sumN(levels.moves),
    hundredths(summary.worth.outstanding),
  ])

  const predictions = await visit('/predictions', 'Predictions', 'Who asks')
  const lines = answerOf(answers, '/api/admin/statistics/predictions').lines as Json[]
  const count = (...measures: string[]) => sumN(lines.filter(({ measure }) => measures.includes(measure)))
  const [asked, came, differed] = [
    count('asked-kept', 'asked-left-out', 'asked-dropped'),
    count('came-true'),
    count('differed'),
  ]
  const recorded = came + differed + count('none-kept', 'not-compared')
  assert.equal(predictions.cards.get('Asked')?.split(':')[0], grouped(asked))
  assert.equal(predictions.cards.get('Differed')?.split(':')[0], grouped(differed))
  assertFiguresAreKnown(predictions.shown, answers, [
    ...[asked, came, differed, recorded, count('not-compared')],
    share(came, came + differed),
    share(came + differed, recorded),
    ...daysOf(predictions.shown),
  ])

  for (const [path, heading, seen] of [
    ['/players', 'Players', IDS[1]],
    ['/orders', 'Orders', 'o-old'],
    ['/orders/o-1', 'o-1', 'Revision 1'],
    ['/orders/o-5', 'o-5', 'Revision 2'],
    ['/products', 'Products', 'mug'],
    ['/program', 'Program', 'v2 London'],
    ['/feeds', 'Feeds', 'Last success'],
    ['/access', 'Access', 'walker'],
    ['/system', 'System', 'POST /api/integration/orders'],
  ] as const) {
    const { shown } = await visit(path, heading, seen)
    const derived = path === '/system' ? ofRequests(answerOf(answers, '/api/admin/service')) : []
    assertFiguresAreKnown(shown, answers, [...daysOf(shown), ...derived])
  }

  for (const id of IDS)
    for (const [tab, seen] of [
      ['entries', 'Newest first'],
      ['balance', 'What is left'],
      ['orders', 'By order id'],
      ['predictions', /predictions? /],
    ] as const) {
      const { shown, cards } = await visit(`/players/${encodeURIComponent(id)}?tab=${tab}`, id, seen)
      const account = answerOf(answers, `/api/players/${id}`)
      assert.equal(cards.get('Balance'), `${grouped(account.points)} points`)
      assert.equal(cards.get('Earned'), `${grouped(account.earned)} points`)
      assert.equal(cards.get('Expired'), `${grouped(account.expired)} points`)
      assert(BigInt(account.points) > 100_000_000n)
      assertFiguresAreKnown(shown, answers, daysOf(shown))
    }
})

test('each figure of accounts and promises says when it is true and how it was found, as the API does (decision 207)', async (t) => {
  const app = await largeService(t)
  const { page, open, check } = await walk(t, {}, app)
  const answering = (path: string, change: (answer: Json) => void) =>
    page.route(path, async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      change(answer)
      await route.fulfill({ response, json: answer })
    })
  const before = (moment: string, minutes: number) => new Date(Date.parse(moment) - minutes * 60_000).toISOString()
  await answering('**/statistics/summary*', ({ as_of, figures }) => {
    for (const one of figures) {
      if (one.figure === 'outstanding') Object.assign(one, { as_of: before(as_of, 7), quality: 'swept' })
      if (one.figure === 'came-true') Object.assign(one, { quality: 'sampled' })
    }
  })
  await answering('**/statistics/levels*', (answer) => {
    const found = { as_of: before(answer.as_of, 31), quality: 'sampled' }
    answer.levels = [{ level: 'Bronze', n: 2, low: 1, high: 2, ...found }]
  })
  await open('/', 'Overview')
  const figure = (name: string) =>
    page.locator('.figure').filter({ has: page.getByRole('button', { name, exact: true }) })
  await figure('Owed').getByText('as of 7 minutes ago, by a sweep').waitFor()
  await figure('Kept promises').getByText('(from a sample)').waitFor()
  await page.getByText('Players are as of 31 minutes ago, from a sample.').waitFor()
  await check()
})

const sumN = (lines: readonly Json[]): number => lines.reduce((all: number, { n }) => all + n, 0)

/** Counts over all routes, bounds in seconds, memory, and the numbers in the names of columns. */
function ofRequests({ bounds_ms, routes, process }: Json): (string | number)[] {
  const { bytes, max_bytes } = process.database_heap ?? process.heap
  const all = sumN(routes)
  const sumOf = (field: string) => routes.reduce((sum: number, route: Json) => sum + route[field], 0)
  return [
    ...[4, 429, 503, 50, 95, 99, 100],
    ...bounds_ms.map((ms: number) => ms / 1_000),
    ...[all, sumOf('failed'), sumOf('refused'), share(sumOf('failed'), all), share(sumOf('refused'), all)],
    ...[Math.round(bytes / 2 ** 20), (max_bytes / 2 ** 30).toFixed(1).replace('.0', ''), share(bytes, max_bytes)],
  ]
}

/** "40.26" */
function hundredths(exact: string): string {
  const [whole = '', decimals = ''] = exact.split('.')
  return `${whole}.${decimals.padEnd(2, '0').slice(0, 2)}`
}

/** The changes in percent against the span before. */
function changesOf(figures: readonly Json[]): string[] {
  return figures.flatMap(({ n, n_before, points, points_before }) =>
    [
      [n, n_before],
      [points, points_before],
    ]
      .filter(([now, before]) => now !== null && before !== null && Number(before) !== 0)
      .map(([now, before]) => Math.abs((Number(now) - Number(before)) / Math.abs(Number(before))) * 100)
      .map((change) => (change < 10 ? change.toFixed(1) : change.toFixed(0))),
  )
}

/** The numbers of the days that a page names, like 5 and 2026 of "5 May 2026". */
function daysOf(shown: string): string[] {
  const days = shown.match(/\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?: \d{4})?/g) ?? []
  return days.flatMap((day) => day.match(/\d+/g)!)
}

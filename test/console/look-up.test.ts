import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { emptyService, startBrowserTest } from '../support/browser-test.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import type { TestApp } from '../support/test-app.ts'

/** How often the page of products asks again. */
const POLL_MS = 10_000
const WITH_DAYS = `name: Club
rounding: floor
money: { decimals: 2 }
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
referral: { friend: 5, referrer: 7 }
points: { pending: { days: 14 }, expire: { after: P12M } }
redeem: { value: { points: 100, pays: "1.00" } }
`

test('players, orders and products pass the checks in every theme and width', async (t) => {
  const { page, open, checkLooks } = await startBrowserTest(t)
  for (const [name, path, heading, row] of [
    ['players', '/players', 'Players', '16029'],
    ['player', '/players/16029', '16029', /^\d+$/],
    ['orders', '/orders', 'Orders', '536387'],
    ['order', '/orders/536387', '536387', 'base'],
    ['products', '/products', 'Products', /\w/],
  ] as const) {
    await open(path, heading)
    await page.getByRole('rowheader', { name: row }).first().waitFor()
    await checkLooks(name)
  }
})

test('the range of orders is in the address, page by page, and they are counted as the route counts them', async (t) => {
  const { app, page, open, check, checkLooks } = await startBrowserTest(t)
  const { body } = await app.ask('GET', '/api/admin/orders/536387')
  const day = body.ordered_at.slice(0, 10)
  const ofDay = (await app.ask('GET', `/api/admin/orders?limit=500&from=${day}&to=${day}`)).body.orders
  assert(ofDay.length > 1)
  await open('/orders?prefix=zzz', 'Orders')
  await page.getByText('No order IDs with this prefix').waitFor()
  await page.getByLabel('From').fill(day)
  await page.getByLabel('To', { exact: true }).fill(day)
  await page.keyboard.press('Enter')
  await page.getByRole('rowheader', { name: ofDay[0].order_id, exact: true }).waitFor()
  assert.match(page.url(), new RegExp(`\\?from=${day}&to=${day}$`))
  assert.equal(await page.getByLabel('Order ID begins with').inputValue(), '')
  await checkLooks('orders-of-days')
  await open(`/orders?from=${day}`, 'Orders')
  await page.getByRole('rowheader').first().waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL(/after=/)
  await page.keyboard.press('/')
  await page.keyboard.type('536387')
  await page.keyboard.press('Enter')
  await page.getByRole('rowheader', { name: '536387' }).waitFor()
  assert.match(page.url(), /\?prefix=536387$/)
  await open('/orders?from=2036-01-01', 'Orders')
  await page.getByText('No orders in this period').waitFor()
  await check()
})

test('products named by orders but missing from the catalogue are listed beside it until a price list has them', async (t) => {
  let aheadMs = 0
  const app = await emptyService(t, { now: () => new Date(Date.now() + aheadMs) })
  await app.upsertPlayers([aPlayer()])
  const hostile = `<img src=x onerror="document.title='taken'">`
  const products = ['MUG-9', hostile].map((product_sku_id) => ({ product_sku_id, amount: 100 }))
  await app.record([anOrder({ order_id: 'o-1', products })])
  await app.predict(anOrder({ order_id: 'o-2', products: products.slice(0, 1) }))
  const { page, open, tabTo, checkLooks } = await startBrowserTest(t, {}, app)
  await app.service.deps.activity.flush()
  await page.clock.install()
  await open('/products', 'Products')
  await tabTo('Unknown')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /^MUG-9 1 1 o-1 / }).waitFor()
  await page.getByRole('row', { name: /^<img .* 1 0 o-1 / }).waitFor()
  assert.match(page.url(), /\?tab=unknown$/)
  await checkLooks('products-unknown')
  await page.getByRole('button', { name: 'Upload products' }).click()
  const file = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('product_sku_id,amount\nMUG-9,45\n') }
  await page.getByLabel('File').setInputFiles(file)
  await page.getByRole('button', { name: 'Import 1 record' }).click()
  await page.getByText('Imported:').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  // The service counts again, and the page asks again.
  aheadMs = POLL_MS
  await page.clock.fastForward(POLL_MS)
  await page.getByRole('row', { name: /^MUG-9 / }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Catalogue' }).click()
  await page.getByRole('row', { name: /^MUG-9 45 / }).waitFor()
  assert.doesNotMatch(await page.title(), /^taken/)
})

test('a reason for earning nothing links from the overview to as many orders, and is saved as CSV', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  const amounts = { small: 5, smaller: 1, free: 0, earns: 500 }
  await app.record(Object.entries(amounts).map(([order_id, total_amount]) => anOrder({ order_id, total_amount })))
  const { page, open, tabTo, check, checkLooks } = await startBrowserTest(t, {}, app)
  await open('/', 'Overview')
  const reasons = page.getByRole('region', { name: 'Zero-point reasons' })
  await reasons.getByRole('row', { name: 'less than one point 2 66.7 %' }).waitFor()
  const saved = page.waitForEvent('download')
  await page
    .locator('.section')
    .filter({ has: page.getByRole('heading', { name: 'Zero-point reasons' }) })
    .getByRole('button', { name: 'CSV' })
    .click()
  assert.equal(
    readFileSync((await (await saved).path())!, 'utf8'),
    'Reason,Orders,Share\r\nless than one point,2,66.7 %\r\nnothing paid,1,33.3 %\r\n',
  )
  await tabTo('less than one point')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  assert.match(page.url(), /\?nothing=rounded-away&from=[\d-]+&to=[\d-]+$/)
  await page.getByRole('rowheader', { name: 'smaller' }).waitFor()
  assert.deepEqual((await page.getByRole('rowheader').allTextContents()).sort(), ['small', 'smaller'])
  assert.equal(await page.getByLabel('Zero-point reason').inputValue(), 'rounded-away')
  await checkLooks('orders-of-nothing')
  await page.getByLabel('Zero-point reason').selectOption('reduced to 0 by a ceiling')
  await page.getByText('No zero-point orders for this reason in this period').waitFor()
  await check()
})

test('the page of an order says what it earned, however many entries its player has since', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder()])
  const data = Array.from({ length: 501 }, (_, at) => ({
    ...{ user_id: 'u-1', id: `g-${at}`, points: 1, counts: false, reason: 'a gift' },
  }))
  await app.ask('POST', '/api/admin/balances', { body: { data } })
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open('/orders/o-1', 'o-1')
  await page.getByText('Revision 1').waitFor()
  await page.getByRole('row', { name: /^base/ }).waitFor()
  await check()
})

test('products show their attributes; orders and lines which they have, as their values may be personal', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  await app.upsertProducts([
    aProduct({ product_sku_id: 'TEA', attributes: { category: 'tea', tags: ['green', 'new'] } }),
  ])
  const products = [{ product_sku_id: 'TEA', amount: '10', attributes: { engraving: 'Ann' } }, { amount: '5' }]
  await app.record([anOrder({ attributes: { channel: 'app' }, products }), anOrder({ order_id: 'o-2' })])
  const { page, open, checkLooks, check } = await startBrowserTest(t, {}, app)
  await open('/products', 'Products')
  await page.getByRole('cell', { name: 'category: tea; tags: green, new' }).waitFor()
  await check()
  await open('/orders/o-1', 'o-1')
  await page.getByRole('cell', { name: 'engraving: •••' }).waitFor()
  await page.getByRole('row', { name: 'channel •••' }).waitFor()
  await checkLooks('order-attributes')
  await open('/orders/o-2', 'o-2')
  await page.getByText('Revision 1').waitFor()
  assert.equal(await page.getByText('Attribute').count(), 0)
})

test('no figure breaks inside or is cut off: one that does not fit is short, and exact for the tooltip and screen readers', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  const gift = { id: 'gift', points: 131_491_682_123_456, counts: true, reason: 'a gift' }
  await app.ask('POST', '/api/players/u-1/adjustments', { body: { data: gift } })
  const { page, open, checkLooks } = await startBrowserTest(t, {}, app)
  const exact = '131,491,682,123,456'
  await open('/players/u-1', 'u-1')
  await page.getByTitle(exact).first().waitFor()
  assert.equal(await page.getByTitle(exact).first().innerText(), `131.5T\n${exact}`)
  const linesOf = `[...document.querySelectorAll('.fitting')].map((one) => [one.getClientRects().length, one.getBoundingClientRect().right <= one.closest('.figure').getBoundingClientRect().right])`
  for (const [width, path, heading] of [
    [360, '/players/u-1', 'u-1'],
    [360, '/', 'Overview'],
    [1280, '/', 'Overview'],
    [700, '/', 'Overview'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await open(path, heading)
    await page.locator('.fitting').first().waitFor()
    for (const [lines, fits] of (await page.evaluate(linesOf)) as [number, boolean][])
      assert.deepEqual([lines, fits], [1, true], `${path} at ${width}`)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await checkLooks('large-figures')
})

test('what a rule or a later change took away is not drawn like what was given', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder({ order_id: 'o-1', total_amount: 5_000 })])
  await app.record([anOrder({ order_id: 'o-1', total_amount: 50 })])
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open('/', 'Overview')
  const rules = page.getByRole('region', { name: 'Points by rule' })
  const [given, taken] = [/^base/, /^Later changes/].map((name) => rules.getByRole('row', { name }))
  await taken!.getByText('−').waitFor()
  const isLess = (row: typeof given) => row!.locator('.bar.less').count()
  assert.deepEqual([await isLess(given), await isLess(taken)], [0, 1])
  await open('/system', 'System')
  await page.getByText('the stronger the colour, the more requests').waitFor()
  await check()
})

test('a player is found by any of their identifiers, and personal data stays masked until it is asked for', async (t) => {
  const { app, page, open, tabTo, check } = await startBrowserTest(t)
  const { body } = await app.ask('GET', '/api/admin/players/16029?reveal=true')
  await open('/players', 'Players')
  await page.keyboard.press('/')
  await page.keyboard.type(body.email.toUpperCase())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: '16029' }).waitFor()
  assert.doesNotMatch(page.url(), /example/)
  await page.getByText('C•••').waitFor()
  assert.equal(await page.getByText(body.name).count(), 0)
  await tabTo('reveal')
  await page.keyboard.press('Enter')
  await page.getByText(body.name).waitFor()
  await tabTo('Data')
  await page.keyboard.press('Enter')
  await page.getByText(body.email).waitFor()
  await check()
  const looked = app.observations.filter(({ kind }) => kind === 'player-revealed')
  assert(looked.length > 0, 'the look-up was not logged')
})

test('one click in a session reveals every player whose page is opened, and each opening is recorded (decision 133)', async (t) => {
  const app = await emptyService(t)
  const names = { 'u-1': 'Asha Rao', 'u-2': 'Ravi Nair', 'u-3': 'Mira Das' }
  await app.upsertPlayers(
    Object.entries(names).map(([User_id, Name]) =>
      aPlayer({ User_id, Name, Email: `${User_id}@example.com`, attributes: { vip: true, tags: ['tea', 'local'] } }),
    ),
  )
  const { page, open, check } = await startBrowserTest(t, { scopes: ['support'] }, app)
  const looks = async () => {
    const { body } = await app.ask('GET', '/api/admin/audit-log?act=player-revealed')
    return body.entries.length
  }
  await open('/players/u-1', 'u-1')
  await page.getByText('A•••').waitFor()
  assert.equal(await looks(), 0)
  await page.getByRole('button', { name: 'reveal' }).click()
  await page.getByText(names['u-1']).waitFor()
  assert.equal(await looks(), 1)
  await page.getByRole('link', { name: 'Data' }).click()
  await page.getByText('u-1@example.com').waitFor()
  await page.getByText('tags: tea, local; vip: true').waitFor()
  assert.equal(await looks(), 1, 'a tab of the same page is no further look')

  await page.getByRole('link', { name: 'Players', exact: true }).click()
  await page.getByRole('rowheader', { name: 'u-2' }).waitFor()
  assert.equal(await page.getByText('Ravi').count(), 0, 'a list stays masked')
  await page.getByRole('link', { name: 'u-2', exact: true }).click()
  await page.getByText(names['u-2']).waitFor()
  await open('/players/u-3', 'u-3')
  await page.getByText(names['u-3']).waitFor()
  assert.equal(await looks(), 3)
  await check()

  await page.getByRole('button', { name: 'hide' }).click()
  await page.getByText('M•••').waitFor()
  await open('/players/u-1', 'u-1')
  await page.getByText('A•••').waitFor()
  const other = await startBrowserTest(t, {}, app)
  await page.getByRole('button', { name: 'reveal' }).click()
  await page.getByText(names['u-1']).waitFor()
  await other.open('/players/u-2', 'u-2')
  await other.page.getByText('R•••').waitFor()
  assert.equal(await looks(), 4, 'what is revealed in one session is not in another')
})

test('whoever signs in on a page where another has revealed a player sees it masked, and no look is recorded as theirs', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  const { page, context, open } = await startBrowserTest(t, { scopes: ['support'] }, app)
  const lookers = async () => {
    const { body } = await app.ask('GET', '/api/admin/audit-log?act=player-revealed')
    return body.entries.map(({ by }: { by: string }) => by)
  }
  await open('/players/u-1', 'u-1')
  await page.getByRole('button', { name: 'reveal' }).click()
  await page.getByText('Asha Rao').waitFor()
  const [first] = await lookers()

  await context.clearCookies()
  await page.getByRole('link', { name: 'Data' }).click()
  await page.getByRole('link', { name: 'Orders', exact: true }).last().click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  const { body: another } = await app.ask('POST', '/api/admin/tokens', {
    body: { data: { name: 'another', scopes: ['support'] } },
  })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.keyboard.type(another.token)
  const answered = page.waitForResponse(/\/api\/admin\/players\/u-1/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  await answered
  await page.getByText('A•••').waitFor()
  assert.deepEqual(
    asked.filter((url) => url.includes('reveal=true')),
    [],
  )
  assert.deepEqual(await lookers(), [first])

  await page.getByRole('button', { name: 'reveal' }).click()
  await page.getByText('Asha Rao').waitFor()
  assert.deepEqual(await lookers(), [another.id, first])
})

test('a player whose id has a percent sign has a page of their own, and data that could not be read is asked for again', async (t) => {
  const app = await emptyService(t)
  const ids = ['50%', '50%25', '50%off', 'a/b%2Fc']
  await app.upsertPlayers(ids.map((id) => aPlayer({ User_id: id, Email: `of-${ids.indexOf(id)}@example.com` })))
  const { page, open } = await startBrowserTest(t, {}, app)
  for (const id of ids) await open(`/players/${encodeURIComponent(id)}`, id)
  await page.route('**/api/admin/players/*', (route) =>
    route.fulfill({ status: 500, json: { error: 'internal error' } }),
  )
  await open(`/players/${encodeURIComponent('50%off')}?tab=data`, '50%off')
  const again = page.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.unroute('**/api/admin/players/*')
  await again.click()
  await page.getByText('o•••').waitFor()
})

test('where another person signs in in a second tab, the first one begins anew: it reveals nothing, and makes nothing under the new name', async (t) => {
  const { app, page, context, open } = await startBrowserTest(t)
  const token = async (name: string) =>
    (await app.ask('POST', '/api/admin/tokens', { body: { data: { name, scopes: ['admin'] } } })).body
  const looks = async () => {
    const { body } = await app.ask('GET', '/api/admin/audit-log?act=player-revealed')
    return body.entries.length
  }
  await open('/players/16029', '16029')
  await page.getByRole('button', { name: 'reveal' }).click()
  await page.getByRole('button', { name: 'hide' }).waitFor()
  await page.getByRole('button', { name: 'Adjust points' }).click()
  await page.getByRole('dialog').waitFor()
  const before = await looks()
  const second = await context.newPage()
  const made = await token('another person')
  const { body: code } = await app.ask('POST', '/api/admin/sign-in-codes', { body: { data: { token_id: made.id } } })
  await second.goto(`/console/#code=${code.code}`)
  await second.getByRole('button', { name: 'Sign in with the link' }).click()
  await second.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'reveal' }).waitFor()
  await page.getByText('another person').first().waitFor()
  await page.getByRole('link', { name: 'Players' }).click()
  await page.getByRole('heading', { level: 1, name: 'Players' }).waitFor()
  assert.equal(await looks(), before)
})

test('an entry is explained to the last fraction, and its sum is that of the ledger', async (t) => {
  const { page, open, tabTo, check } = await startBrowserTest(t)
  await open('/players/16029', '16029')
  await page.getByRole('button', { name: 'Why' }).first().waitFor()
  await tabTo('Why')
  await page.keyboard.press('Enter')
  const all = page.getByRole('row', { name: /^In all/ })
  await all.waitFor()
  assert.equal(await all.textContent(), 'In all Club, version 2157')
  await check()
})

test('points are adjusted in two steps, and once however often the button is pressed', async (t) => {
  const { app, page, open, tabTo, check } = await startBrowserTest(t)
  const before = (await app.ask('GET', '/api/players/15482')).body.points
  await open('/players/15482', '15482')
  await page.getByRole('button', { name: 'Adjust points' }).waitFor()
  await tabTo('Adjust points')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await check()
  await page.keyboard.type('-15')
  await page.keyboard.press('Tab')
  await page.keyboard.type('paid with points')
  await page.keyboard.press('Enter')
  await page.getByText(/will have/).waitFor()
  await page.getByText('Undo beside the entry').waitFor()
  await check()
  await tabTo(/^Post/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('paid with points').waitFor()
  assert.equal((await app.ask('GET', '/api/players/15482')).body.points, before - 15)
})

test('no adjustment of 0 points, nor of more than a number holds exactly, is made, and a dialog does not say that it keeps trying', async (t) => {
  const { page, open, check } = await startBrowserTest(t)
  await open('/players/15482', '15482')
  await page.getByRole('button', { name: 'Adjust points' }).click()
  const points = page.getByRole('dialog').getByRole('spinbutton')
  await page.getByRole('textbox', { name: 'Reason' }).fill('a gift')
  for (const wrong of ['0', '-0', '100000000000000000000', '9007199254740992']) {
    await points.fill(wrong)
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate(`document.querySelector('[name="points"]').validity.valid`), false, wrong)
  }
  assert.equal(await page.getByText(/will have/).count(), 0)
  await points.fill('9007199254740991')
  await page.keyboard.press('Enter')
  const has = /has ([\d,]+) points and will have ([\d,]+) /.exec((await page.getByText(/will have/).textContent())!)!
  const [before, after] = has.slice(1).map((text) => BigInt(text.replaceAll(',', '')))
  assert.equal(after! - before!, 9_007_199_254_740_991n)
  await page.route('**/adjustments', (route) => route.abort())
  await page.getByRole('button', { name: /^Post/ }).click()
  const said = page.getByRole('dialog').getByRole('alert')
  await said.waitFor()
  assert.equal(await said.textContent(), 'No response from the service.')
  await check()
})

/** `holdFrames()` keeps what the page leaves to the next frame until `releaseFrames()`, as on a busy machine. */
const LATE_FRAMES = `(() => {
  const request = requestAnimationFrame
  let isHeld = false
  let waiting = []
  const flush = () => {
    if (isHeld) return
    const acts = waiting
    waiting = []
    for (const act of acts) act(performance.now())
  }
  requestAnimationFrame = (act) => {
    waiting.push(act)
    return request(flush)
  }
  holdFrames = () => { isHeld = true }
  releaseFrames = () => { isHeld = false; flush() }
})()`

test('the keyboard focus stays where a person has moved it after a step of a dialog, however late the next frame', async (t) => {
  const { page, open, tabTo } = await startBrowserTest(t)
  await page.addInitScript(LATE_FRAMES)
  await open('/players/15482', '15482')
  await page.getByRole('button', { name: 'Adjust points' }).click()
  await page.getByRole('dialog').getByRole('spinbutton').fill('-15')
  await page.getByRole('textbox', { name: 'Reason' }).fill('paid with points')
  await page.evaluate('holdFrames()')
  await page.keyboard.press('Enter')
  await tabTo(/^Post/)
  await page.evaluate('releaseFrames()')
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'BUTTON')
})

test('a player page shows pending and expiring points, holds, predictions and referred friends', async (t) => {
  const clock = { ms: Date.now() }
  const app = await emptyService(t, { now: () => new Date(clock.ms) })
  const good = async (reply: ReturnType<TestApp['ask']>) => assert.equal((await reply).status, 200)
  await good(app.ask('POST', '/api/admin/programs', { body: { data: { source: WITH_DAYS } } }))
  await good(app.upsertPlayers([aPlayer({ Refercode: 'ASHA' }), aPlayer({ User_id: 'friend', Refercode: '' })]))
  const gift = { id: 'gift', points: 500, counts: false, reason: 'a gift' }
  await good(app.ask('POST', '/api/players/u-1/adjustments', { body: { data: gift } }))
  for (const total_amount of [1_000, 2_000]) await good(app.predict(anOrder({ order_id: `o-${total_amount}` })))
  await app.service.deps.predictions.flush()
  clock.ms += 1_000
  await good(app.record([anOrder({ order_id: 'o-1000' }), anOrder({ order_id: 'o-2000', total_amount: 100 })]))
  await good(app.record([anOrder({ order_id: 'f-1', user_id: 'friend', refferral_code: 'ASHA' })]))
  clock.ms += 20_000
  await app.service.deps.predictions.flush()

  const { page, open, tabTo, check, checkLooks } = await startBrowserTest(t, {}, app)
  await open('/players/u-1?tab=balance', 'u-1')
  const left = page.getByRole('region', { name: 'Remaining points' })
  await left.getByRole('rowheader', { name: '500' }).waitFor()
  await tabTo('Redeem points')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Redeem points of u-1' }).waitFor()
  await page.keyboard.type('9999')
  await page.keyboard.press('Tab')
  await page.keyboard.type('a cup')
  await tabTo('hold them for an order')
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await tabTo('Hold 9,999')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Expected at most' }).waitFor()
  await check()
  await tabTo('Back')
  await page.keyboard.press('Enter')
  await page.getByRole('spinbutton').fill('200')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Hold 200' }).click()
  await page.getByRole('row', { name: /held 200 2.00 .*a cup/ }).waitFor()
  await left.getByRole('rowheader', { name: '300' }).waitFor()
  await checkLooks('player-balance')
  await tabTo(/^Void console-/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Points').fill('50')
  await page.getByLabel('Reason').fill('one cup fewer')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /held 150 1.50 .*a cup/ }).waitFor()
  await left.getByRole('rowheader', { name: '350' }).waitFor()
  await tabTo(/^Void console-/)
  await page.keyboard.press('Enter')
  await page.getByLabel('Reason').fill('changed their mind')
  await check()
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /voided 150/ }).waitFor()
  await left.getByRole('rowheader', { name: '500' }).waitFor()
  await page.getByLabel('Balance as of').fill('2020-01-01')
  await page.getByText('No available or pending points on that date.').waitFor()
  assert.match(page.url(), /at=2020-01-01/)
  await page.getByRole('button', { name: 'Show today' }).click()

  await page.getByRole('link', { name: 'Predictions', exact: true }).last().click()
  await page.getByRole('row', { name: /^o-1000 .* came true/ }).waitFor()
  await page.getByRole('row', { name: /^o-2000 .* differed .* the order itself/ }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Referrals' }).click()
  await page.getByRole('row', { name: /^f-1 friend placed \+7 / }).waitFor()
  await check()

  await open('/try?user_id=u-1', 'Simulator')
  await page.getByLabel('Total').fill('20')
  await page.getByLabel('Points to redeem').fill('200')
  await page.getByText('200 points, which pay 2.00').waitFor()
  await page.getByRole('row', { name: /^200 / }).waitFor()
  await page.getByText('500 then 300').waitFor()
  await checkLooks('try-redeeming')
  await page.getByLabel('Points to redeem').fill('501')
  await page.locator('.fault').filter({ hasText: 'at most' }).waitFor()
})

test('an action that is not allowed is shown with the scope that is missing', async (t) => {
  const { page, open, check } = await startBrowserTest(t, { scopes: ['read'] })
  await open('/players/16029', '16029')
  await page.getByRole('button', { name: 'Adjust points' }).click()
  await page
    .getByText(/lacks the scope support/)
    .filter({ visible: true })
    .waitFor()
  await check()
})

test('empty lists say how they get filled, and a table is saved as it is shown', async (t) => {
  const app = await emptyService(t)
  const { page, open, check } = await startBrowserTest(t, {}, app)
  for (const [path, heading, command] of [
    ['/players', 'Players', 'npx --no laurel import players'],
    ['/orders', 'Orders', 'npx --no laurel import orders'],
    ['/products', 'Products', 'npx --no laurel import products'],
    ['/', 'Overview', 'npx --no laurel import orders'],
  ] as const) {
    await open(path, heading)
    await page.getByText(command).waitFor()
    await check()
  }
  await app.upsertProducts([
    { product_sku_id: '=1+1', amount: '12.5' },
    { product_sku_id: 'a,"b', amount: '1' },
  ])
  await open('/products', 'Products')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const text = readFileSync((await (await saved).path())!, 'utf8')
  assert.match(text, /^SKU,Price,Changes,Price since,First sent\r\n'=1\+1,12\.5,0,/)
  assert(text.includes('"a,""b",1,0,'))
})

test('sums beyond 2^53-1 are shown with all their digits, of a player and where an order is tried (decision 20)', async (t) => {
  const app = await emptyService(t, { now: () => new Date('2026-01-10T12:00:00Z') })
  await app.upsertPlayers([aPlayer()])
  const source = `name: Waiting
time-zone: UTC
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Gold, from: 9007199254740991 }] }
points: { pending: { days: 14 }, expire: { after: P12M } }
redeem: { value: { points: 1, pays: 1 } }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
`
  const published = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  assert.equal(published.status, 200, published.text)
  const waiting = { usable_on: '2026-02-01', expires_on: '2026-03-01' }
  for (const data of [
    { id: 'a', counts: true, points: '9007199254740991', ...waiting },
    { id: 'b', counts: false, points: '-9007199254740991' },
    { id: 'c', counts: false, points: '9007199254740990', ...waiting },
  ]) {
    const made = await app.ask('POST', '/api/players/u-1/adjustments', { body: { data: { reason: 'r', ...data } } })
    assert.equal(made.status, 200, made.text)
  }
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open('/players/u-1?tab=balance', 'u-1')
  await page.getByRole('rowheader', { name: '18,014,398,509,481,981' }).waitFor()
  assert.match((await page.locator('main').textContent())!, /Pending.*18,014,398,509,481,981/)
  await check()
  await open('/try?user_id=u-1', 'Simulator')
  await page.getByLabel('Total').fill('0')
  const pending = page.locator('dl div').filter({ hasText: 'Pending' })
  await pending.getByText('18,014,398,509,481,981 then 18,014,398,509,481,981').waitFor()
  await check()
})

test('an adjustment is undone from the page of a player after a confirmation, once, by those who may, and that is recorded among the acts (decision 139)', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  for (const [id, points] of [
    ['gift', 40],
    ['spent', -15],
  ] as const) {
    const data = { id, points, counts: false, reason: `a ${id}` }
    assert.equal((await app.ask('POST', '/api/players/u-1/adjustments', { body: { data } })).status, 200)
  }
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  await open('/players/u-1', 'u-1')
  await page.getByRole('button', { name: 'Undo gift' }).waitFor()
  await tabTo('Undo spent')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Undo spent?' })
  await dialog.getByText('An entry of +15 points reverses the adjustment of −15 (“a spent”)').waitFor()
  await check()
  await dialog.getByLabel('Reason').fill('wrong customer')
  await dialog.getByRole('button', { name: 'Post +15' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /wrong customer/ }).waitFor()
  await page.getByRole('button', { name: 'Undo gift' }).waitFor()
  // Neither what is undone already, nor what undid it.
  assert.equal(await page.getByRole('button', { name: /^Undo/ }).count(), 1)
  assert.equal((await app.ask('GET', '/api/players/u-1')).body.points, 40)
  await check()
  await open('/access?tab=acts', 'Access')
  await page.getByRole('row', { name: /walker: admin undid an adjustment/ }).waitFor()

  const reader = await startBrowserTest(t, { scopes: ['read'] }, app)
  await reader.open('/players/u-1', 'u-1')
  await reader.page.getByRole('button', { name: 'Undo gift' }).click()
  await reader.page
    .getByText(/lacks the scope support/)
    .last()
    .waitFor()
})

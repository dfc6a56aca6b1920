import assert from 'node:assert/strict'
import test from 'node:test'
import { emptyService, startBrowserTest } from '../support/browser-test.ts'

/** How often a page asks again that had no response. */
const RETRY_MS = 3_000

test('without a session only the sign-in is shown; a wrong token is refused, and a valid one signs in', async (t) => {
  const { app, page, check } = await startBrowserTest(t, { scopes: null })
  await page.goto('/console/players')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await check()
  await page.keyboard.type('laurel_wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Invalid, expired or revoked token.' }).waitFor()
  await check()
  const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'asha', scopes: ['read'] } } })
  await page.getByLabel('Token').fill(body.token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Players' }).waitFor()
})

test('a one-time link signs in, and its code leaves the address', async (t) => {
  const { app, page } = await startBrowserTest(t, { scopes: null })
  const { body: token } = await app.ask('POST', '/api/admin/tokens', {
    body: { data: { name: 'link', scopes: ['read'] } },
  })
  const { body } = await app.ask('POST', '/api/admin/sign-in-codes', { body: { data: { token_id: token.id } } })
  await page.goto(`/console/#code=${body.code}`)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.equal(new URL(page.url()).hash, '')
})

test('a one-time link asks before it replaces a session', async (t) => {
  const { app, page, open, check } = await startBrowserTest(t)
  await open('/players', 'Players')
  const { body: token } = await app.ask('POST', '/api/admin/tokens', {
    body: { data: { name: 'link', scopes: ['read'] } },
  })
  const link = async () => {
    const { body } = await app.ask('POST', '/api/admin/sign-in-codes', { body: { data: { token_id: token.id } } })
    await page.goto('about:blank')
    await page.goto(`/console/#code=${body.code}`)
    await page.getByRole('heading', { name: 'Sign in with this link?' }).waitFor()
  }
  const sessions = async () => {
    const { body } = await app.ask('GET', '/api/admin/sessions')
    return body.sessions.map(({ token_id }: { token_id: string }) => token_id) as string[]
  }
  const before = await sessions()
  await link()
  await check()
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.deepEqual(await sessions(), before)
  await link()
  await page.getByRole('button', { name: 'Sign in with the link' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const after = await sessions()
  assert.deepEqual([after.length, after.filter((id) => id === token.id).length], [before.length, 1])
})

test('when a session ends the sign-in opens above the page, and what was typed is still there', async (t) => {
  const { app, page, open, check } = await startBrowserTest(t)
  await open('/players', 'Players')
  const field = page.getByLabel('ID, e-mail, phone or referral code')
  await field.fill('160')
  const { body } = await app.ask('GET', '/api/admin/sessions')
  for (const { id } of body.sessions) await app.ask('DELETE', `/api/admin/sessions/${id}`)
  await field.press('Enter')
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await check()
  const { body: token } = await app.ask('POST', '/api/admin/tokens', {
    body: { data: { name: 'again', scopes: ['support'] } },
  })
  await page.keyboard.type(token.token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  assert.equal(await field.inputValue(), '160')
  await field.press('Enter')
  await page.getByRole('link', { name: '16029' }).waitFor()
})

test('a lost connection keeps what is shown, dimmed, and requests are repeated when it is back', async (t) => {
  const { page, context, open, check } = await startBrowserTest(t)
  await page.clock.install()
  await open('/orders', 'Orders')
  const row = page.getByRole('rowheader', { name: '536387' })
  await row.waitFor()
  await context.setOffline(true)
  await page.getByLabel('Order ID begins with').fill('5364')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'No response from the service' }).waitFor()
  await page.locator('.table.stale').waitFor()
  assert.equal(await row.count(), 1)
  await check()
  await context.setOffline(false)
  await page.clock.fastForward(RETRY_MS)
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await page.getByText('No order IDs with this prefix').waitFor()
  assert.equal(await row.count(), 0)
  await check()
})

test('a page that fails leaves the menu, which leads to the others', async (t) => {
  const { page, open, check } = await startBrowserTest(t)
  await page.route('**/api/admin/orders/536387*', (route) => route.fulfill({ json: { lines: 5, revisions: 5 } }))
  await open('/orders/536387', 'This page failed to load')
  await check()
  await page.getByRole('link', { name: 'Orders', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  await open('/orders/536387', 'This page failed to load')
  await page.unroute('**/api/admin/orders/536387*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: '536387' }).waitFor()
})

test('every page is reached by keyboard, the palette finds players, and Escape closes what is open', async (t) => {
  const { page, open, check } = await startBrowserTest(t)
  await open('/', 'Overview')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await check()
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('5363')
  await page.keyboard.press('Enter')
  await page.waitForURL(/prefix=5363/)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor()
  await page.keyboard.type('1602')
  await page.getByRole('option', { name: /16029/ }).waitFor()
  await check()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: '16029' }).waitFor()
})

test('a chosen theme stays, whatever that of the system', async (t) => {
  const { page, open, tabTo, check } = await startBrowserTest(t)
  await open('/', 'Overview')
  await tabTo(/Account and appearance/)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Dark' }).click()
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark')
  await check()
})

test('an unknown address is reported, and names of people are never markup', async (t) => {
  const app = await emptyService(t)
  const { page, open, check } = await startBrowserTest(t, {}, app)
  const hostile = `<img src=x onerror="document.title='taken'">{{7*7}}`
  const player = {
    User_id: hostile,
    Name: hostile,
    Email: 'a@example.com',
    DOB: '31-01-1990',
    Gender: 'female',
    Refercode: hostile,
    State: hostile,
    Pincode: '1',
    Country: hostile,
  }
  assert.equal((await app.upsertPlayers([player])).body.inserted, 1)
  await app.upsertProducts([{ product_sku_id: hostile, amount: '1' }])
  const order = { order_id: hostile, user_id: hostile, name: hostile, email: 'a@example.com', refferral_code: hostile }
  await app.record([{ ...order, total_amount: 100, discount: 0, products: [{ product_sku_id: hostile, qty: 1 }] }])
  await app.ask('POST', '/api/admin/tokens', { body: { data: { name: hostile, scopes: ['read'] } } })
  await open('/nowhere', 'Not found')
  await check()
  for (const [path, heading] of [
    ['/players', 'Players'],
    ['/orders', 'Orders'],
    ['/products', 'Products'],
    [`/players/${encodeURIComponent(hostile)}`, hostile],
    [`/orders/${encodeURIComponent(hostile)}`, hostile],
  ] as const) {
    await open(path, heading)
    await page.getByText(hostile).first().waitFor()
    assert.doesNotMatch(await page.title(), /^taken/)
    await check()
  }
})

test('the overview passes the checks in every theme and width, and its chart is read by arrow keys', async (t) => {
  const { page, open, tabTo, checkLooks } = await startBrowserTest(t)
  await open('/', 'Overview')
  await page.getByRole('rowheader', { name: 'base', exact: true }).waitFor()
  await checkLooks('overview')
  await tabTo(/^Points issued, points/)
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await page
    .locator('output')
    .filter({ hasText: /: [\d,]+ points; [\d,]+ on / })
    .waitFor({ state: 'attached' })
})

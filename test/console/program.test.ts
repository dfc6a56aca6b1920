import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { emptyService, startBrowserTest } from '../support/browser-test.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { type ServiceProcess, startService, usedDataDirectory } from '../support/service-process.ts'
import type { TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

/** Longer than the console waits after the last key before it saves. */
const SAVE_PAUSE_MS = 1_500
const CLUB = readFileSync(new URL('../../examples/online-retail/club.yaml', import.meta.url), 'utf8')

test('a draft is written, checked, compared, tried and published by keyboard; a scheduled version is withdrawn', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  await open('/program', 'Program')
  await page.getByText('No drafts').waitFor()
  await check()
  await tabTo('New draft')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Starter' }).waitFor()
  await page.getByText('No errors.').waitFor()

  // The editor is entered and left by Tab, and accepts typing.
  await tabTo('Program text')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('rounding: down\n')
  await page
    .getByRole('status')
    .getByText(/is there twice|unique|duplicate/i)
    .or(page.locator('.faults li'))
    .first()
    .waitFor()
  await page.locator('.faults li').getByText('see docs/program-reference.md#yaml').waitFor()
  await check()
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.insertText(CLUB)
  await page.getByText('No errors.').waitFor()
  await page.getByText(/, saved$/).waitFor()
  const { body } = await app.ask('GET', '/api/admin/drafts')
  const id = body.drafts[0].id
  assert.equal((await app.ask('GET', `/api/admin/drafts/${id}`)).body.source, CLUB)

  await page.getByRole('link', { name: 'Diff' }).click()
  await page.getByText('+  - name: basket').waitFor()
  await check()
  await page.getByRole('link', { name: /^Cases/ }).click()
  await tabTo('Test orders')
  await page.keyboard.insertText(
    'cases:\n  - name: small\n    orders:\n      - { total_amount: 119, expect: { points: 11 } }\n',
  )
  await page.getByText('points: expected 11, got 9').waitFor()
  await check()

  await page.getByRole('link', { name: 'Publish' }).click()
  await page.getByLabel('Effective from').fill('2099-01-01T00:00')
  await page.getByLabel('Note').fill('more for those who come back')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('link', { name: 'v2 Club' }).waitFor()
  await check()
  await page.getByRole('button', { name: /^Withdraw/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('withdrawn').waitFor()
  await check()
})

test('typing on during a slow save causes no conflict with that save', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo } = await startBrowserTest(t, {}, app)
  const { body: draft } = await app.ask('POST', '/api/admin/drafts', { body: { data: { name: 'Club', source: CLUB } } })
  const held: (() => void)[] = []
  await page.route(/\/api\/admin\/drafts\//, (route) => {
    if (route.request().method() === 'PUT') held.push(() => void route.continue())
    else void route.continue()
  })
  await open(`/program/drafts/${draft.id}`, 'Club')
  await tabTo('Program text')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('# one')
  await eventually('the first text is sent', () => held.length === 1)
  await page.keyboard.type(' two')
  await page.getByText('No errors.').waitFor()
  await sleep(SAVE_PAUSE_MS)
  assert.equal(held.length, 1, 'a second save was sent during the first')
  for (const goOn of held.splice(0)) goOn()
  await eventually('the second text is sent', () => held.length === 1)
  for (const goOn of held.splice(0)) goOn()
  await page.getByText(/, saved$/).waitFor()
  assert.equal((await app.ask('GET', `/api/admin/drafts/${draft.id}`)).body.source, `${CLUB}# one two`)
})

test('what is typed just before a draft is left is saved, is there when it is opened again, and is sent again if no answer came', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo } = await startBrowserTest(t, {}, app)
  const { body: draft } = await app.ask('POST', '/api/admin/drafts', { body: { data: { name: 'Club', source: CLUB } } })
  const stored = async () => (await app.ask('GET', `/api/admin/drafts/${draft.id}`)).body.source
  const text = page.getByRole('textbox', { name: 'Program text' })
  await open(`/program/drafts/${draft.id}`, 'Club')
  await tabTo('Program text')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('# one')
  await page.getByRole('link', { name: 'Program', exact: true }).click()
  await page.getByRole('link', { name: 'Club', exact: true }).click()
  await tabTo('Program text')
  await page.keyboard.press('Control+End')
  await text.getByText('# one', { exact: true }).waitFor()
  assert.equal(await stored(), `${CLUB}# one`)

  let cut = 2
  await page.route(/\/api\/admin\/drafts\//, async (route) => {
    if (route.request().method() !== 'PUT' || cut === 0) return route.continue()
    // The second one arrives, and only its response is lost.
    if (cut === 1) await route.fetch()
    cut -= 1
    await route.abort()
  })
  await page.keyboard.type(' two')
  await page.getByText(/, not saved$/).waitFor()
  await page.getByText(/, saved$/).waitFor()
  assert.equal(await stored(), `${CLUB}# one two`)
  assert.equal(cut, 0)
})

test('two people who edit one draft see the changes of the other before overwriting them', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  const { body: draft } = await app.ask('POST', '/api/admin/drafts', { body: { data: { name: 'Club', source: CLUB } } })
  await open(`/program/drafts/${draft.id}`, 'Club')
  await page.getByText('No errors.').waitFor()
  const theirs = CLUB.replace('every: 12', 'every: 11')
  const put = { name: 'Club', source: theirs, cases: '', revision: 1 }
  assert.equal((await app.ask('PUT', `/api/admin/drafts/${draft.id}`, { body: { data: put } })).status, 200)
  await tabTo('Program text')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('# mine')
  await page.getByText('Another user changed this draft').waitFor()
  await page.locator('.diff').getByText('# mine').waitFor()
  await check()
  assert.equal((await app.ask('GET', `/api/admin/drafts/${draft.id}`)).body.source, theirs)
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByText(/, saved$/).waitFor()
  assert.match((await app.ask('GET', `/api/admin/drafts/${draft.id}`)).body.source, /every: 12[\s\S]*# mine$/)
})

/** A draft with this source, in a service that runs jobs, opened in the console. */
async function openDraft(t: TestContext, service: ServiceProcess, source: string, query = '') {
  const { body: draft } = await service.ask('/api/admin/drafts', { body: { data: { name: 'Club', source } } })
  const ask: TestApp['ask'] = (method, path, { body } = {}) =>
    service.ask(path, { method, body }) as unknown as ReturnType<TestApp['ask']>
  const browser = await startBrowserTest(t, {}, { url: service.url, ask } as unknown as TestApp)
  await browser.open(`/program/drafts/${draft.id}${query}`, 'Club')
  return browser
}

test('a backtest runs beside the service; its progress and result are shown, also after a reload, in every theme and width', async (t) => {
  const service = await startService({ data: await usedDataDirectory(t) })
  t.after(() => service.kill())
  await service.upsert('players', [aPlayer({ User_id: 'u-1' })])
  await service.upsert('orders', [anOrder({ order_id: 'o-1', user_id: 'u-1' })])
  const { page, checkLooks } = await openDraft(t, service, CLUB)
  await page.getByText('No errors.').waitFor()
  await checkLooks('program')
  await page.getByRole('link', { name: 'Backtest' }).click()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Players who would gain', { exact: true }).waitFor()
  await checkLooks('backtest')
  await page.reload()
  await page.getByText('later records are not included').waitFor()
})

test('a backtest of a campaign that is still to come says that no order lies in its days, and moves it onto past days', async (t) => {
  const service = await startService({ data: await usedDataDirectory(t) })
  t.after(() => service.kill())
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  await service.upsert('players', [aPlayer({ User_id: 'u-1' })])
  const past = Array.from({ length: 20 }, (_, index) => day(-index - 1))
  await service.upsert(
    'orders',
    past.map((on) => anOrder({ order_id: on, user_id: 'u-1', ordered_at: `${on}T12:00:00Z` })),
  )
  const rule = `  - { name: weekend, during: { from: ${day(3)}, until: ${day(5)} }, fixed: { points: 50 } }`
  const source = STARTER_PROGRAM.replace('earn:\n', `earn:\n${rule}\n`)
  const { page, checkLooks } = await openDraft(t, service, source, '?tab=backtest')
  await page.locator('.actions .primary:not([aria-disabled])').waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText(/weekend applied to 0 of 20 orders: none lies in /).waitFor()
  await page.getByText('applied to no order').waitFor()
  await page.getByRole('row', { name: 'weekend 0 0 0' }).waitFor()
  await checkLooks('backtest-coming')
  await page.getByRole('button', { name: 'Test on past dates' }).click()
  await page.getByText(/weekend, moved a week earlier, has 3 of 20 orders in /).waitFor()
  await page.getByRole('row', { name: 'weekend 0 150 +150' }).waitFor()
  await page.getByText('+150', { exact: true }).first().waitFor()
  await checkLooks('backtest-moved')
})

test('a backtest says how many orders lack attributes of the draft, and computes them with those of now', async (t) => {
  const service = await startService({ data: await usedDataDirectory(t) })
  t.after(() => service.kill())
  await service.upsert('players', [aPlayer({ User_id: 'u-1' })])
  const products = [{ product_sku_id: 'TEA', amount: '100' }]
  await service.upsert('orders', [anOrder({ user_id: 'u-1', total_amount: '100', discount: '0', products })])
  await service.upsert('products', [aProduct({ product_sku_id: 'TEA', attributes: { category: 'tea' } })])
  const rule = '  - { name: tea, when: line.attributes.category == "tea", fixed: { points: 50 } }'
  const source = `${STARTER_PROGRAM.replace('earn:\n', `earn:\n${rule}\n`)}attributes: { product: { category: text } }\n`
  const { page, checkLooks } = await openDraft(t, service, source, '?tab=backtest')
  await page.locator('.actions .primary:not([aria-disabled])').waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText(/1 order had products without attributes .*: computed without them/).waitFor()
  await page.getByRole('row', { name: 'tea 0 0 0' }).waitFor()
  await checkLooks('backtest-attributes')
  await page.getByRole('button', { name: 'Use today’s attributes' }).click()
  await page.getByText(/computed with those of today’s catalogue/).waitFor()
  await page.getByRole('row', { name: 'tea 0 50 +50' }).waitFor()
})

test('a change is sent once however fast its button is pressed, which keeps the keyboard focus meanwhile', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  const held: (() => void)[] = []
  let jobs = 0
  await page.route(/\/api\/admin\/(?:programs|drafts\/\w+|programs\/\d+\/withdraw|jobs)$/, (route) => {
    const request = route.request()
    if (request.method() === 'GET' || request.method() === 'PUT') void route.continue()
    else held.push(() => void route.continue())
    if (request.method() === 'POST' && request.url().endsWith('/jobs')) jobs += 1
  })
  const pressTwice = async (name: string) => {
    await tabTo(name)
    await page.evaluate('document.activeElement.click(); document.activeElement.click()')
    await eventually(`${name} is sent`, () => held.length > 0)
    await page.locator('[aria-disabled=true]').getByText(name, { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await check()
    assert.equal(await page.evaluate('document.activeElement.textContent'), name)
    assert.equal(held.length, 1, `${name} was sent again`)
    for (const goOn of held.splice(0)) goOn()
  }
  const { body: draft } = await app.ask('POST', '/api/admin/drafts', { body: { data: { name: 'Club', source: CLUB } } })
  await open(`/program/drafts/${draft.id}?tab=backtest`, 'Club')
  await page.locator('.actions .primary:not([aria-disabled])').waitFor()
  await pressTwice('Run')
  await page
    .getByRole('button', { name: 'Cancel' })
    .or(page.getByRole('button', { name: 'Run again' }))
    .first()
    .waitFor()
  assert.equal(jobs, 1)

  await page.getByRole('link', { name: 'Publish' }).click()
  await page.getByLabel('Effective from').fill('2099-01-01T00:00')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('dialog').waitFor()
  await pressTwice('Schedule')
  await page.getByRole('link', { name: 'v2 Club' }).waitFor()
  await page.getByRole('button', { name: /^Withdraw/ }).click()
  await page.getByRole('dialog').waitFor()
  await pressTwice('Withdraw')
  await page.getByText('withdrawn').waitFor()
  const { body } = await app.ask('GET', '/api/admin/programs')
  assert.equal(body.programs.length, 2)

  await open(`/program/drafts/${draft.id}`, 'Club')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').waitFor()
  await pressTwice('Delete')
  await page.getByText('No drafts').waitFor()
})

/** As a browser does that takes years of six digits. */
const TAKE_A_LONG_YEAR = `(() => {
  const input = document.querySelector('input[type=datetime-local]')
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '202710-01-01T10:30')
  input.dispatchEvent(new Event('input', { bubbles: true }))
})()`

test('a year has four digits, typed or not, and one of more leaves the page as it is', async (t) => {
  const app = await emptyService(t)
  const { body: draft } = await app.ask('POST', '/api/admin/drafts', { body: { data: { name: 'Club', source: CLUB } } })
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open(`/program/drafts/${draft.id}?tab=publish`, 'Club')
  const from = page.getByLabel('Effective from')
  await from.focus()
  await page.keyboard.type('122520271030am')
  assert.equal(await from.inputValue(), '2027-12-25T10:30')
  await page.evaluate(TAKE_A_LONG_YEAR)
  await page.getByText('Invalid date: use a four-digit year.').waitFor()
  assert(await page.getByRole('button', { name: 'Publish', exact: true }).isDisabled())
  await check()
  await from.fill('2027-01-01T10:30')
  await page.getByText('In the time zone of the program, UTC').waitFor()
})

test('the text of a program is never markup, and a person who may not edit it sees why', async (t) => {
  const app = await emptyService(t)
  const hostile = '"><img src=x onerror=alert(1)>'
  const source = `name: '${hostile}'\nlevels:\n  counts: lifetime\n  ladder: [{ name: '${hostile}', from: 0 }]\n`
  const { body: draft } = await app.ask('POST', '/api/admin/drafts', { body: { data: { name: hostile, source } } })
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open(`/program/drafts/${draft.id}`, hostile)
  await page.locator('.faults li').first().waitFor()
  await check()
  const reader = await startBrowserTest(t, { scopes: ['read'] }, app)
  await reader.open('/program', 'Program')
  await reader.page.getByText('Your token may not see drafts').waitFor()
  await reader.page.getByRole('link', { name: 'v1 Starter' }).click()
  await reader.page.getByRole('heading', { level: 1, name: 'Starter, version 1' }).waitFor()
  await reader.check()
})

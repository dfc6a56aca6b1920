import assert from 'node:assert/strict'
import test from 'node:test'
import { ROLES, type Role } from '../../src/scopes.ts'
import { emptyService, startBrowserTest } from '../support/browser-test.ts'
import { withinASecond } from '../support/waiting.ts'

/** How often the page of jobs asks again. */
const POLL_MS = 5_000

test('access and system pass the checks in every theme and width', async (t) => {
  const { page, open, checkLooks } = await startBrowserTest(t)
  for (const [name, path, heading, row] of [
    ['access-tokens', '/access', 'Access', /^walker/],
    ['access-sessions', '/access?tab=sessions', 'Access', /this browser/],
    ['access-acts', '/access?tab=acts', 'Access', /\d/],
    ['system', '/system', 'System', 'POST /api/integration/orders'],
    ['system-settings', '/system?tab=settings', 'System', /players\.required/],
  ] as const) {
    await open(path, heading)
    await page.getByRole('rowheader', { name: row }).first().waitFor()
    await checkLooks(name)
  }
})

test('each role gives the scopes that the service has for it', async (t) => {
  const { page, open } = await startBrowserTest(t)
  await open('/access', 'Access')
  await page.getByRole('button', { name: 'Create token' }).click()
  for (const role of Object.keys(ROLES) as Role[]) {
    await page.getByLabel('Role').selectOption(role)
    const checked = await page.evaluate(
      `[...document.querySelectorAll('.scopes :checked')].map((box) => box.closest('label').querySelector('code').textContent)`,
    )
    assert.deepEqual((checked as string[]).sort(), [...ROLES[role]].sort(), role)
  }
})

test('request durations are read by keyboard and in a table, each percentile as an upper bound', async (t) => {
  const { page, open, tabTo, check } = await startBrowserTest(t)
  await open('/system', 'System')
  await page.getByRole('rowheader', { name: 'POST /api/integration/orders' }).waitFor()
  await page.getByText(/^\d+ MiB$/).waitFor()
  await page.getByText(/^[\d.]+ % of [\d.]+ GiB$/).waitFor()
  await tabTo(/^Request duration/)
  await page.keyboard.press('End')
  await page.getByText(/requests; p50 [≤>] [\d.]+ m?s, p95 .* failed$/).waitFor({ state: 'attached' })
  const row = page.getByRole('row', { name: /^POST \/api\/integration\/orders 1 / })
  assert.match((await row.textContent())!, /(?:[≤>] [\d.]+ m?s){3}/)
  await page.getByText('As a table').click()
  await page.getByRole('region', { name: 'Times' }).getByRole('row').nth(1).waitFor()
  await check()
})

test('a token is created by keyboard alone with the scopes of a role, shown once, and rotated while both are valid', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  await open('/access', 'Access')
  await page.getByRole('rowheader').first().waitFor()
  await tabTo('Create token')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Create a token' }).waitFor()
  await page.keyboard.type('asha')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Editor')
  await check()
  await page.keyboard.press('Enter')
  await tabTo('Create')
  await page.keyboard.press('Enter')
  const secret = await page.getByText(/^laurel_/).textContent()
  await check()
  await page.keyboard.press('Escape')
  await page.getByText(secret!).waitFor()
  await tabTo('Done')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /^asha .* Editor never/ }).waitFor()
  assert.equal(await page.getByText(/^laurel_/).count(), 0)
  const asked = (token: string) => app.ask('GET', '/api/admin/programs', { headers: { token } })
  assert.equal((await asked(secret!)).status, 200)

  await tabTo('Rotate asha')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Rotate asha' }).waitFor()
  await check()
  await tabTo('Rotate')
  await page.keyboard.press('Enter')
  const next = await page.getByText(/^laurel_/).textContent()
  assert.notEqual(next, secret)
  assert.deepEqual([(await asked(secret!)).status, (await asked(next!)).status], [200, 200])
})

test('a token is revoked in two steps, and the last one that may create others only after a second confirmation', async (t) => {
  const app = await emptyService(t)
  const made = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'till 7', scopes: ['predict'] } } })
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open('/access', 'Access')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Revoke till 7' }).click()
  await check()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke till 7' }).waitFor({ state: 'detached' })
  const statusOf = (token: string) =>
    app.ask('POST', '/api/predictions/orders', { headers: { token }, body: {} }).then(({ status }) => status)
  await withinASecond('the token is refused', async () => (await statusOf(made.body.token)) === 401)
  await page.getByText('Ended', { exact: true }).click()
  await page.getByRole('row', { name: /^till 7 .* revoked/ }).waitFor()
  await page.getByText('In use', { exact: true }).click()

  await page.getByRole('button', { name: /^Revoke walker/ }).click()
  await page.getByText('the last token with the scope admin').waitFor()
  await check()
  assert.equal(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled(), true)
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
})

test('the session of another person is ended, and that is recorded among the acts', async (t) => {
  const app = await emptyService(t)
  const other = await startBrowserTest(t, { scopes: ['read'] }, app)
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await other.open('/', 'Overview')
  await open('/access?tab=sessions', 'Access')
  await page.getByRole('button', { name: 'End the session of walker: read' }).click()
  await check()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await page.getByRole('button', { name: 'End the session of walker: read' }).waitFor({ state: 'detached' })
  await other.page.getByRole('link', { name: 'Players' }).click()
  await other.page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('row', { name: /walker: admin ended a session/ }).waitFor()
  await page.getByLabel('Action').selectOption({ label: 'ended a session' })
  await page
    .getByRole('row', { name: /created a token/ })
    .first()
    .waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /walker: admin ended a session/ }).waitFor()
  assert.match(page.url(), /tab=acts&act=session-ended$/)
  await page.getByLabel('Who').selectOption({ label: 'walker: read' })
  await page.getByText('Nothing matches these filters').waitFor()
  await check()
})

test('names of tokens are never markup, and a person who may not see them is shown which scope is missing', async (t) => {
  const app = await emptyService(t)
  const hostile = `<img src=x onerror="document.title='taken'">{{7*7}}`.repeat(8)
  await app.ask('POST', '/api/admin/tokens', { body: { data: { name: hostile, scopes: ['admin'] } } })
  const { page, open, checkLooks, check } = await startBrowserTest(t, {}, app)
  await open('/access', 'Access')
  await page.getByText(hostile).first().waitFor()
  await checkLooks()
  for (const act of ['Rotate', 'Revoke']) {
    await page.getByRole('button', { name: `${act} <img` }).click()
    await page.getByRole('dialog').waitFor()
    await check()
    await page.keyboard.press('Escape')
  }
  assert.doesNotMatch(await page.title(), /^taken/)

  const reader = await startBrowserTest(t, { scopes: ['read'] }, app)
  await reader.open('/access', 'Access')
  await reader.page
    .getByText(/lacks the scope admin/)
    .last()
    .waitFor()
  await reader.check()
})

test('a setting is changed and reset, and a refusal is shown in the words of the service', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  await open('/system?tab=settings', 'System')
  await page.getByRole('rowheader', { name: /players\.genders/ }).waitFor()
  const gendersNow = async () => {
    const { body } = await app.ask('GET', '/api/admin/settings')
    return body.settings.find(({ key }: { key: string }) => key === 'players.genders').value
  }
  await tabTo('Change players.genders')
  await page.keyboard.press('Enter')
  const value = page.getByLabel('Value')
  await value.fill('x'.repeat(60))
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Expected 1 to 20 genders' }).waitFor()
  await check()
  await value.fill('female, male, diverse')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /players\.genders .*diverse changed/ }).waitFor()
  assert.deepEqual(await gendersNow(), ['female', 'male', 'diverse'])
  await page.getByRole('button', { name: 'Change players.genders' }).click()
  await page.getByRole('button', { name: 'Reset to the default' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.deepEqual(await gendersNow(), ['male', 'female'])
})

test('a job is started and cancelled from the page, and a finished one shows its result', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  await page.clock.install()
  await open('/system?tab=jobs', 'System')
  await page.getByText('npx --no laurel ledger verify').waitFor()
  await check()
  await tabTo('Verify the ledger')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /^Verify the ledger .* waiting/ }).waitFor()
  await tabTo(/^Cancel/)
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /^Verify the ledger .* cancelled/ }).waitFor()
  const result = JSON.stringify({ players: 2, orders: 3, entries: 4, differing: 0, differences: [] })
  await app.query(`update jobs set state = 'done', snapshot_at = asked_at, result = '${result}'`)
  await page.clock.fastForward(POLL_MS)
  await page.getByRole('button', { name: 'Result' }).click()
  await page.getByText('2 players, 3 orders and 4 entries: nothing differs').waitFor()
  await check()
})

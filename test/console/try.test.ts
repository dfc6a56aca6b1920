import assert from 'node:assert/strict'
import test from 'node:test'
import { emptyService, startBrowserTest } from '../support/browser-test.ts'
import { aPlayer } from '../support/builders.ts'

test('an order is tried by keyboard alone, under two versions, and nothing of it is stored', async (t) => {
  const { app, page, open, tabTo, checkLooks } = await startBrowserTest(t)
  const kept = () => app.query('select count(*) as n from predictions')
  const before = await kept()
  await open('/try', 'Simulator')
  await tabTo('Player')
  await page.keyboard.type('16029')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1200')
  await page.getByText('You will earn 150 points and stay at Gold.').waitFor()
  await tabTo(/^Compare with/)
  await page.keyboard.press('ArrowDown')
  await page.getByText('Under Starter, version 1: You will earn 120 points and stay at Gold.').waitFor()
  assert.match(page.url(), /under=1/)
  await checkLooks('try')
  assert.deepEqual(await kept(), before)
})

test('a recorded order is opened as it was, and a wrong field is reported beside it', async (t) => {
  const { page, open, check } = await startBrowserTest(t)
  await open('/try?order=536387', 'Simulator')
  await page.getByText('You will earn 319 points').waitFor()
  await page.getByLabel('Total').fill('cheap')
  await page.locator('.fault').filter({ hasText: /cheap/ }).waitFor()
  await check()
  await page.getByLabel('Total').fill('10')
  await page.getByText('You will earn 1 point').waitFor()
  await page.getByText('JSON', { exact: true }).click()
  await page.locator('textarea').fill('{ no json')
  await page.getByText('Invalid JSON.').waitFor()
  await check()
})

test('the moment of a tried order is chosen on the clock of the program, whose zone stands beside it, in every browser', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer()])
  const source = `name: Kolkata
time-zone: Asia/Kolkata
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
`
  const published = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  assert.equal(published.status, 200, published.text)
  const order = { order_id: 'o-1', user_id: 'u-1', total_amount: 10, ordered_at: '2026-01-31T20:00:37Z' }
  const recorded = await app.record([
    { ...order, name: 'A', email: 'a@b.c', discount: 0, refferral_code: '', products: [] },
  ])
  assert.equal(recorded.body.inserted, 1, recorded.text)
  const { page, open, check } = await startBrowserTest(t, { timeZone: 'America/New_York' }, app)
  await open('/try?order=o-1', 'Simulator')
  const moment = page.getByLabel('Order time')
  const sent = async () => /"ordered_at":"([^"]*)"/.exec((await page.locator('main').textContent())!)?.[1]
  await page.getByText('In the time zone of the program, Asia/Kolkata; default: now.').waitFor()
  await page.getByText('You will earn 1 point').waitFor()
  // The second of a recorded order is kept until another time is chosen.
  assert.deepEqual([await moment.inputValue(), await sent()], ['2026-02-01T01:30', '2026-01-31T20:00:37.000Z'])
  await moment.fill('2026-02-01T00:10')
  assert.equal(await sent(), '2026-01-31T18:40:00.000Z')
  await check()
  await moment.fill('9999-02-01T00:10')
  await page
    .locator('.fault')
    .filter({ hasText: /at most 5 minutes ahead/ })
    .waitFor()
  await check()
})

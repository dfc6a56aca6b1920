import assert from 'node:assert/strict'
import test from 'node:test'
import { walk } from '../support/console-walk.ts'

test('an order is tried by keyboard alone, under two versions, and nothing of it is stored', async (t) => {
  const { app, page, open, tabTo, checkLooks } = await walk(t)
  const kept = () => app.query('select count(*) as n from predictions')
  const before = await kept()
  await open('/try', 'Try an order')
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
  const { page, open, check } = await walk(t)
  await open('/try?order=536387', 'Try an order')
  await page.getByText('You will earn 319 points').waitFor()
  await page.getByLabel('Total').fill('cheap')
  await page.locator('.fault').filter({ hasText: /cheap/ }).waitFor()
  await check()
  await page.getByLabel('Total').fill('10')
  await page.getByText('You will earn 1 point').waitFor()
  await page.getByText('JSON', { exact: true }).click()
  await page.locator('textarea').fill('{ no json')
  await page.getByText('This is not JSON.').waitFor()
  await check()
})

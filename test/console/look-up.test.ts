import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { emptyService, walk } from '../support/console-walk.ts'

test('players, orders and products are in order in every look', async (t) => {
  const { page, open, checkLooks } = await walk(t)
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

test('a player is found by what a person has in hand, and personal data stays masked until it is asked for', async (t) => {
  const { app, page, open, tabTo, check } = await walk(t)
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
  assert(looked.length > 0, 'that somebody looked is noted')
})

test('an entry says why, to the last fraction, and the sum is what the ledger has', async (t) => {
  const { page, open, tabTo, check } = await walk(t)
  await open('/players/16029', '16029')
  await page.getByRole('button', { name: 'Why' }).first().waitFor()
  await tabTo('Why')
  await page.keyboard.press('Enter')
  const all = page.getByRole('row', { name: /^In all/ })
  await all.waitFor()
  assert.equal(await all.textContent(), 'In all Club, version 2157')
  await check()
})

test('points are adjusted in two steps, and once however often somebody presses', async (t) => {
  const { app, page, open, tabTo, check } = await walk(t)
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
  await check()
  await tabTo(/^Book/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('paid with points').waitFor()
  assert.equal((await app.ask('GET', '/api/players/15482')).body.points, before - 15)
})

test('who may not do a thing sees it, and which scope is missing', async (t) => {
  const { page, open, check } = await walk(t, { scopes: ['read'] })
  await open('/players/16029', '16029')
  await page.getByRole('button', { name: 'Adjust points' }).click()
  await page
    .getByText(/lacks the scope support/)
    .last()
    .waitFor()
  await check()
})

test('empty lists say what fills them, and a table is saved as it is shown', async (t) => {
  const app = await emptyService(t)
  const { page, open, check } = await walk(t, {}, app)
  for (const [path, heading, command] of [
    ['/players', 'Players', 'npx laurel import players'],
    ['/orders', 'Orders', 'npx laurel import orders'],
    ['/products', 'Products', 'npx laurel import products'],
    ['/', 'Overview', 'npx laurel import orders'],
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

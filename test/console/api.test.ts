import assert from 'node:assert/strict'
import test from 'node:test'
import { startBrowserTest } from '../support/browser-test.ts'

test('every operation of the API has a page with a command to copy', async (t) => {
  const { app, page, open, check, checkLooks } = await startBrowserTest(t)
  await open('/api', 'API')
  await page
    .getByRole('link', { name: /\/api\/predictions\/orders/ })
    .first()
    .waitFor()
  await checkLooks('api')
  const { body } = await app.ask('GET', '/openapi.json')
  const operations = Object.values(body.paths as Record<string, Record<string, { operationId?: string }>>)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId }) => (operationId === undefined ? [] : [operationId]))
  const links = await page.evaluate(`[...document.querySelectorAll('.operations a')].map(({ href }) => href)`)
  assert.deepEqual((links as string[]).map((link) => link.split('/').at(-1)).sort(), operations.sort())
  await page.keyboard.press('/')
  await page.keyboard.type('simulat')
  await page.getByRole('link', { name: /simulations/ }).click()
  await page.getByText('curl -X POST').waitFor()
  await page.getByRole('rowheader', { name: 'under_version' }).waitFor()
  await check()
  await open('/api/nothing', 'Not found')
})

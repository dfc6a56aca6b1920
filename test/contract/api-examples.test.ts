/*
 * The examples of the API description, sent to a service one after the other: the responses are those of the examples.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { SWEEP_CHECK_MS } from '../../src/resources/statistics/sweep-accounts.ts'
import { OPERATIONS } from '../support/api-description.ts'
import { apiScenario, exampleOf, prepareScenario } from '../support/api-scenario.ts'
import { foldedAccounts, sweptAccounts } from '../support/counted-accounts.ts'
import { openTestApp } from '../support/test-app.ts'

/** Values that differ from service to service, recognized by their form. */
const FORMS: readonly (readonly [form: RegExp, shown: string])[] = [
  [/^laurel_.*$/, 'a token'],
  [/^[0-9a-f]{12}$|^service$/, 'the id of a token'],
  [/^[\w-]{43}$|^kq0c\.\.\.$/, 'a code'],
  [/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, 'a moment'],
]

test('the example request of every operation is accepted, and gets the example answer (decision 110)', async (t) => {
  let now = new Date('2026-06-01T12:00:00Z')
  const app = await openTestApp(t, { now: () => now })
  await prepareScenario(app.service)
  for (const { operationId, tag, method, path, params, idFrom, body: sent, response } of apiScenario()) {
    if (operationId === 'showStatisticsSummary') {
      // The summary shows the last sweep and the last count of accounts, so both have to run now.
      now = new Date(now.getTime() + 2 * SWEEP_CHECK_MS)
      await sweptAccounts(app)
      await foldedAccounts(app)
    }
    if (operationId === 'listUnknownProducts') {
      // No other example names a product missing from the catalogue.
      const { activity } = app.service.deps
      for (const orderId of [undefined, undefined, 'o-1']) activity.countUnknownProducts(['MUG-9'], orderId)
      await activity.flush()
    }
    const listed = idFrom === undefined ? [] : (await app.ask('GET', `/api/admin/${idFrom}`)).body[idFrom]
    const values: Readonly<Record<string, string>> = idFrom === undefined ? params : { ...params, id: listed[0].id }
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!)
    const { status, body, text } = await app.ask(method, url, sent === undefined ? {} : { body: sent })
    assert.equal(status, 200, `${operationId}: ${text}`)
    if (tag !== 'service') assert.deepEqual(withForms(known(body, response)), withForms(response), operationId)
  }
})

test('refusals are answered as in their examples (decision 110)', async (t) => {
  const app = await openTestApp(t)
  const refusal = (status: number) =>
    exampleOf(OPERATIONS.find(({ operationId }) => operationId === 'showPlayer')!.responses[status]!.content)
  const ask = async (method: string, path: string, headers = {}) => (await app.ask(method, path, { headers })).body
  assert.deepEqual(await ask('GET', '/api/admin/tokens?dryrun=true'), refusal(400))
  assert.deepEqual(await ask('GET', '/api/admin/tokens', { token: 'x' }), refusal(401))
  assert.deepEqual(await ask('GET', '/api/admin/nothing'), refusal(404))
  assert.deepEqual(await ask('PUT', '/api/integration/players'), refusal(405))
})

/** The body with its lists reduced to the elements that the example shows. */
function known(body: unknown, example: unknown): unknown {
  if (Array.isArray(body) && Array.isArray(example))
    return example.map((one) => known(body.find((other) => isLike(other, one)) ?? body[0], one))
  if (typeof body !== 'object' || body === null || typeof example !== 'object' || example === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, known(value, (example as Record<string, unknown>)[name])]),
  )
}

function isLike(body: unknown, example: unknown): boolean {
  if (typeof example !== 'object') return body === example
  const nameOf = (value: unknown) => (value as { name?: string } | null)?.name
  return nameOf(body) === nameOf(example)
}

function withForms(value: unknown): unknown {
  if (typeof value === 'string') return FORMS.find(([form]) => form.test(value))?.[1] ?? value
  if (Array.isArray(value)) return value.map(withForms)
  if (typeof value !== 'object' || value === null) return value
  // The memory in use differs each time.
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, /^(max_)?bytes$/.test(name) ? 'bytes' : withForms(inner)]),
  )
}

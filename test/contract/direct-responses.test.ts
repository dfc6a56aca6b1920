import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type Reply } from '../support/test-app.ts'

const PATH = '/api/predictions/orders'
/** The same address, written so that only the framework takes it. */
const UNUSUAL = { [PATH]: `${PATH}?&`, [`${PATH}?explain=true`]: `${PATH}?&explain=true` } as const

const order = fc.oneof(
  fc.record({
    total_amount: fc.integer({ min: -5, max: 100_000 }).map(String),
    user_id: fc.constantFrom('u-1', 'u-2'),
  }),
  fc.record({ billing_date: fc.constantFrom('2026-05-01T12:00:00Z', 'yesterday', 7) }),
  fc.record({ line_items: fc.anything({ maxDepth: 2 }) }),
)
const body = fc.oneof(
  { weight: 3, arbitrary: order.map((parts) => JSON.stringify({ data: anOrder(parts) })) },
  fc.json().map((data) => `{"data":${data}}`),
  fc.json(),
  fc
    .integer({ min: 60_000, max: 300_000 })
    .map((length) => JSON.stringify({ data: anOrder({ name: 'x'.repeat(length) }) })),
  fc.constantFrom('{', '{"data":', '\ufeff{}', `{"data":${'['.repeat(40)}${']'.repeat(40)}}`, '{"dta":{}}'),
)
const headers = fc.record(
  {
    'accept-encoding': fc.constantFrom('gzip', 'br', 'gzip;q=0', 'identity'),
    'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', undefined),
    token: fc.constantFrom('wrong', '', undefined),
    'x-request-id': fc.constantFrom('mine-1', 'not plain'),
    expect: fc.constant('100-continue'),
    connection: fc.constantFrom('close', 'keep-alive'),
  },
  { requiredKeys: [] },
)

forEachService((openTestApp) => {
  test('a prediction is answered alike with the framework and without, byte for byte', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-06-01T12:00:00Z') })
    await app.upsertPlayers([aPlayer()])
    const asked = fc.record({
      method: fc.constantFrom('GET', 'POST', 'QUERY', 'PUT'),
      address: fc.constantFrom<keyof typeof UNUSUAL>(PATH, `${PATH}?explain=true`),
      body,
      headers,
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ method, address, ...sent }) => {
        const [direct, framework] = [
          await app.ask(method, address, sent),
          await app.ask(method, UNUSUAL[address], sent),
        ].map(comparable)
        assert.deepEqual(direct, framework)
      }),
      { numRuns: 100 },
    )
  })
})

/**
 * What two responses to one question have in common: all but their moments, and ids that the service made. A refusal closes the connection if the body
 * was still on its way.
 */
function comparable({ status, text, headers: { date, 'x-request-id': id, ...others } }: Reply) {
  assert(date !== undefined && id !== undefined)
  const { connection: _, 'keep-alive': __, ...afterRefusal } = others
  return { status, text, headers: status === 200 ? others : afterRefusal, id: id === 'mine-1' ? id : 'made' }
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { readJsonBody } from './body.ts'
import { createBodyBudget } from './body-budget.ts'

const LIMITS = { bytesMax: 2 ** 20, timeoutMs: 60_000, bytesPerSecondMin: 1 }

test('a body that arrives together with its headers starts no timer, and one that arrives later does', async (t) => {
  const timers = t.mock.method(globalThis, 'setInterval').mock
  const { reservationFor } = createBodyBudget(2 ** 20)
  const server = createServer(async (incoming, response) => {
    const before = timers.callCount()
    await readJsonBody(incoming, LIMITS, reservationFor(response, { address: '::1' }))
    response.end(String(timers.callCount() - before))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const timersOf = async (body: string, delayMs: number) => {
    const sent = request({ port, method: 'POST', headers: { 'content-length': body.length } })
    if (delayMs > 0) sent.flushHeaders()
    await setTimeout(delayMs)
    sent.end(body)
    const [response] = await once(sent, 'response')
    return Number(await text(response))
  }

  assert.equal(await timersOf('{}', 0), 0)
  assert.equal(await timersOf('{}', 50), 1)
})

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { createBodyBudget } from './body-budget.ts'

const MIB = 2 ** 20

/** A response that the test closes. */
function aResponse() {
  const events = new EventEmitter()
  const response = { destroyed: false, once: (event: 'close', act: () => void) => events.once(event, act) }
  return { response, close: () => events.emit('close') }
}

test('eight uploads of 24 MiB fit into 192 MiB, and the others follow in order of arrival', async () => {
  const reservationFor = createBodyBudget(192 * MIB)
  const uploads = Array.from({ length: 64 }, aResponse)
  const begun: number[] = []
  const rooms = uploads.map(({ response }, position) => {
    const has = reservationFor(response).announced(24 * MIB)
    if (has === true) begun.push(position)
    else void has.then((isReserved) => isReserved && begun.push(position))
    return has
  })
  assert.equal(begun.length, 8)
  for (const { close } of uploads) {
    close()
    await Promise.resolve()
  }
  assert.deepEqual(begun, [...uploads.keys()])
  assert.deepEqual(new Set(await Promise.all(rooms)), new Set([true]))
})

test('a body that waits too long is refused, and one whose client disconnects leaves the queue', async () => {
  const reservationFor = createBodyBudget(10 * MIB, 1)
  const holder = aResponse()
  assert.equal(reservationFor(holder.response).announced(10 * MIB), true)
  assert.equal(await reservationFor(aResponse().response).announced(5 * MIB), false)
  const patient = createBodyBudget(10 * MIB)
  const [first, leaver, next] = [aResponse(), aResponse(), aResponse()]
  assert.equal(patient(first.response).announced(6 * MIB), true)
  void patient(leaver.response).announced(10 * MIB)
  const waiting = patient(next.response).announced(6 * MIB)
  leaver.close()
  first.close()
  assert.equal(await waiting, true)
  assert.equal(patient(aResponse().response).arrived(5 * MIB), false)
  next.close()
  assert.equal(patient(aResponse().response).arrived(10 * MIB), true)
})

test('small bodies overtake waiting large ones, and have a sixteenth of the budget to themselves', async () => {
  const reservationFor = createBodyBudget(16 * MIB)
  const large = aResponse()
  assert.equal(reservationFor(large.response).announced(16 * MIB), true)
  void reservationFor(aResponse().response).announced(MIB)
  assert.deepEqual(
    Array.from({ length: 4 }, () => reservationFor(aResponse().response).announced(MIB / 4)),
    [true, true, true, true],
  )
  assert.notEqual(reservationFor(aResponse().response).announced(MIB / 4), true)
  large.close()
})

test('a body that could never fit is refused at once', async () => {
  assert.equal(await createBodyBudget(MIB)(aResponse().response).announced(2 * MIB), false)
})

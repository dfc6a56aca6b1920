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

/** Reserves for bodies of as many clients as are asked for, each with a token and an address of its own. */
function budgetOf(bytesMax: number) {
  const { reservationFor } = createBodyBudget(bytesMax)
  let clients = 0
  return (response: ReturnType<typeof aResponse>['response'], waitMs?: number) => {
    clients += 1
    return reservationFor(response, { token: `t-${clients}`, address: `address ${clients}` }, waitMs)
  }
}

test('eight uploads of 24 MiB fit into 192 MiB, and the others follow in order of arrival', async () => {
  const reserveFor = budgetOf(192 * MIB)
  const uploads = Array.from({ length: 64 }, aResponse)
  const begun: number[] = []
  const rooms = uploads.map(({ response }, position) => {
    const has = reserveFor(response).announced(24 * MIB)
    if (has === true) begun.push(position)
    else void has.then((reserved) => reserved === true && begun.push(position))
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
  const reserveFor = budgetOf(10 * MIB)
  const holder = aResponse()
  assert.equal(reserveFor(holder.response).announced(10 * MIB), true)
  assert.equal(await reserveFor(aResponse().response, 1).announced(5 * MIB), 'all')
  const patient = budgetOf(10 * MIB)
  const [first, leaver, next] = [aResponse(), aResponse(), aResponse()]
  assert.equal(patient(first.response).announced(6 * MIB), true)
  void patient(leaver.response).announced(10 * MIB)
  const waiting = patient(next.response).announced(6 * MIB)
  leaver.close()
  first.close()
  assert.equal(await waiting, true)
  assert.equal(patient(aResponse().response).arrived(5 * MIB), 'all')
  next.close()
  assert.equal(patient(aResponse().response).arrived(10 * MIB), true)
})

test('small bodies reserve what arrives, and have a sixteenth of the budget to themselves', () => {
  const reserveFor = budgetOf(16 * MIB)
  const large = aResponse()
  assert.equal(reserveFor(large.response).announced(16 * MIB), true)
  void reserveFor(aResponse().response).announced(MIB)
  const small = Array.from({ length: 5 }, () => reserveFor(aResponse().response))
  assert.deepEqual(
    small.map((one) => [one.announced(MIB / 4), one.arrived(1)]),
    small.map(() => [true, true]),
    'what is only announced takes no memory',
  )
  assert.deepEqual(
    small.map((one) => one.arrived(MIB / 4)),
    [true, true, true, 'all', 'all'],
  )
  large.close()
  assert.equal(small[4]!.arrived(MIB / 4), true)
})

test('the bodies of one token, and large ones from one address, take at most half of the budget; a single one may be larger', async () => {
  const { reservationFor } = createBodyBudget(16 * MIB)
  const [mine, yours] = [aResponse(), aResponse()]
  const reserve = (response: ReturnType<typeof aResponse>, token: string, address: string) =>
    reservationFor(response.response, { token, address }, 1)
  assert.equal(reserve(mine, 'mine', 'here').announced(9 * MIB), true)
  assert.equal(reserve(aResponse(), 'mine', 'there').arrived(MIB), 'share')
  assert.equal(reserve(aResponse(), 'mine', 'here').arrived(MIB / 4), true, 'small ones have a share of their own')
  assert.equal(await reserve(aResponse(), 'other', 'here').announced(MIB), 'share')
  assert.equal(reserve(yours, 'yours', 'there').announced(4 * MIB), true)
  mine.close()
  assert.equal(reserve(aResponse(), 'yours', 'elsewhere').announced(4 * MIB), true)
  assert.equal(reserve(aResponse(), 'yours', 'elsewhere').arrived(MIB), 'share')
})

test('small bodies from one address take at most an eighth of the budget, so that a token that many use is left to the others', () => {
  const { reservationFor } = createBodyBudget(16 * MIB)
  const from = (address: string) => reservationFor(aResponse().response, { token: 'page', address }).arrived(MIB / 4)
  const many = Array.from({ length: 10 }, () => from('here'))
  assert.deepEqual(many, [...Array(8).fill(true), 'share', 'share'])
  assert.equal(reservationFor(aResponse().response, { token: 'other', address: 'here' }).arrived(1), 'share')
  assert.equal(from('there'), true)
  const ofNetwork = Array.from({ length: 10 }, (_, host) => from(`2001:db8::${host}`))
  assert.deepEqual(ofNetwork, many, 'a /64 network counts as one address')
})

test('bodies that wait for the share of their client hold nobody else up, and at most a hundred of them wait', async () => {
  const { reservationFor } = createBodyBudget(16 * MIB)
  const holder = aResponse()
  const mine = { token: 'mine', address: 'here' }
  assert.equal(reservationFor(holder.response, mine).announced(8 * MIB), true)
  const waiting = Array.from({ length: 100 }, aResponse)
  const begun: number[] = []
  waiting.forEach(({ response }, position) => {
    void Promise.resolve(reservationFor(response, mine).announced(8 * MIB)).then(() => begun.push(position))
  })
  assert.equal(await reservationFor(aResponse().response, mine).announced(MIB), 'share')
  const yours = reservationFor(aResponse().response, { token: 'yours', address: 'there' })
  assert.equal(await yours.announced(8 * MIB), true)
  assert.deepEqual(begun, [])
  holder.close()
  await new Promise(setImmediate)
  assert.deepEqual(begun, [0])
  for (const { close } of waiting) close()
})

test('what a slow body will not need soon is released, and reserved again when it arrives', async () => {
  const reserveFor = budgetOf(10 * MIB)
  const slow = reserveFor(aResponse().response)
  assert.equal(slow.announced(10 * MIB), true)
  const next = aResponse()
  const waiting = reserveFor(next.response).announced(8 * MIB)
  slow.shrinkTo(MIB)
  assert.equal(await waiting, true)
  assert.equal(slow.arrived(2 * MIB), true)
  assert.equal(slow.arrived(3 * MIB), 'all')
  next.close()
  assert.equal(slow.arrived(3 * MIB), true)
  slow.shrinkTo(4 * MIB)
  assert.equal(reserveFor(aResponse().response).announced(7 * MIB), true)
})

test('a body that could never fit is refused at once', async () => {
  assert.equal(await budgetOf(MIB)(aResponse().response).announced(2 * MIB), 'all')
})

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { createConnections, type InputEvent, type InputState, nextInput } from './connections.ts'

const ACTIVE_MAX = 16

const EVENTS: readonly InputEvent[] = ['crowded', 'drained', 'refused', 'resumed', 'closed']
const after = (...events: readonly InputEvent[]) => events.reduce<InputState>(nextInput, 'reading')

test('a full connection is not read again before all its requests have begun, whether or not it was refused meanwhile', () => {
  assert.equal(after('crowded', 'refused', 'resumed'), 'full')
  assert.equal(after('refused', 'crowded', 'resumed'), 'full')
  assert.equal(after('refused', 'crowded', 'drained'), 'reading')
})

test('in whatever order events come, a connection that is neither full nor refused is read, and a closed one stays closed', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 20 }), (events) => {
      const last = (event: InputEvent) => events.lastIndexOf(event)
      const isFull = last('crowded') > last('drained')
      const isRefused = last('refused') > last('resumed')
      const state = after(...events)
      if (events.includes('closed')) assert.equal(state, 'closed')
      else if (isFull) assert.equal(state, 'full')
      else if (!isRefused) assert.equal(state, 'reading')
    }),
  )
})

/** A connection of a client that the test plays, and what has begun of what it has sent. */
function aConnection(t: TestContext) {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    bytesWritten: 0,
    writableLength: 0,
    isRead: true,
    pause: () => void Object.assign(socket, { isRead: false }),
    resume: () => void Object.assign(socket, { isRead: true }),
  })
  const begun: number[] = []
  const answers: ServerResponse[] = []
  const broken: string[] = []
  const connections = createConnections(({ message }) => broken.push(message))
  const real = socket as unknown as Socket
  connections.add(real)
  t.after(() => socket.emit('close'))
  return {
    ...{ connections, socket, real, begun, broken },
    send: (number: number) => {
      const request = { socket, complete: true } as unknown as IncomingMessage
      const response = Object.assign(new EventEmitter(), { req: request, writableLength: 0, socket: null })
      connections.inTurn(() => {
        begun.push(number)
        answers.push(response as unknown as ServerResponse)
      })(request, response as unknown as ServerResponse & { req: IncomingMessage })
    },
    /** The oldest answer that is in progress has been sent. */
    answer: () => answers.shift()!.emit('close'),
    oldest: () => answers[0]!,
    newest: () => answers.at(-1)!,
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

test('the requests behind sixteen wait in order, and their connection is not read until the last of them has begun', (t) => {
  const { send, answer, begun, socket } = aConnection(t)
  for (const number of numbers(ACTIVE_MAX)) send(number)
  assert.deepEqual([begun.length, socket.isRead], [ACTIVE_MAX, true])
  send(16)
  send(17)
  assert.deepEqual([begun.length, socket.isRead], [ACTIVE_MAX, false])
  answer()
  assert.deepEqual([begun.length, socket.isRead], [ACTIVE_MAX + 1, false])
  answer()
  assert.deepEqual([begun, socket.isRead], [numbers(ACTIVE_MAX + 2), true])
})

test('when the service stops, refused connections are read again, but not the full ones', async (t) => {
  const full = aConnection(t)
  for (const number of numbers(ACTIVE_MAX + 1)) full.send(number)
  const refused = aConnection(t)
  refused.send(0)
  for (const { connections, real } of [full, refused]) connections.pauseReading(real)
  assert.deepEqual([full.socket.isRead, refused.socket.isRead], [false, false])
  const ended = [full, refused].map(({ connections }) => connections.end())
  assert.deepEqual([full.socket.isRead, refused.socket.isRead], [false, true])
  full.answer()
  assert.deepEqual([full.socket.isRead, full.begun.length], [true, ACTIVE_MAX + 1])
  for (const { socket } of [full, refused]) socket.emit('close')
  await Promise.all(ended)
})

test('bytes that are not HTTP are answered once, after the requests before them', (t) => {
  const { connections, real, send, answer, broken } = aConnection(t)
  for (const number of numbers(ACTIVE_MAX + 1)) send(number)
  for (const text of ['first', 'again']) connections.refuse(new Error(text), real)
  for (const _ of numbers(ACTIVE_MAX)) answer()
  assert.deepEqual(broken, [])
  answer()
  assert.deepEqual(broken, ['first'])
})

test('an answer is the last one of its connection if no request is behind it, neither in progress nor waiting', (t) => {
  const { connections, send, answer, oldest, newest } = aConnection(t)
  send(0)
  assert.equal(connections.isLast(newest()), true)
  for (const number of numbers(ACTIVE_MAX)) send(number + 1)
  assert.equal(connections.isLast(newest()), false, 'one waits behind it')
  answer()
  assert.deepEqual([connections.isLast(oldest()), connections.isLast(newest())], [false, true])
})

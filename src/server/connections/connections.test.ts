import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { eventually } from '../../../test/support/waiting.ts'
import { type Connections, createConnections, type InputEvent, type InputState, nextInput } from './connections.ts'

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
function aConnection(t: TestContext, shared?: Connections) {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    destroy: () => void Object.assign(socket, { destroyed: true }),
    bytesWritten: 0,
    writableLength: 0,
    isRead: true,
    pause: () => void Object.assign(socket, { isRead: false }),
    resume: () => void Object.assign(socket, { isRead: true }),
  })
  const begun: number[] = []
  const responses: ServerResponse[] = []
  const broken: string[] = []
  const connections = shared ?? createConnections(({ message }) => broken.push(message))
  const real = socket as unknown as Socket
  connections.add(real)
  t.after(() => socket.emit('close'))
  return {
    ...{ connections, socket, real, begun, broken },
    send: (number: number, onBegun: () => void = () => undefined, complete = true) => {
      const request = { socket, complete } as unknown as IncomingMessage
      const response = Object.assign(new EventEmitter(), { req: request, writableLength: 0, socket: null })
      connections.inTurn(() => {
        begun.push(number)
        onBegun()
        responses.push(response as unknown as ServerResponse)
      })(request, response as unknown as ServerResponse & { req: IncomingMessage })
    },
    /** The oldest answer that is in progress has been sent. */
    finish: () => responses.shift()!.emit('close'),
    oldest: () => responses[0]!,
    newest: () => responses.at(-1)!,
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Waits until so many requests have begun: those behind an unanswered one begin as the thread has time. */
async function untilBegun({ begun }: Readonly<{ begun: readonly number[] }>, count: number): Promise<void> {
  while (begun.length < count) await setTimeout(1)
}

/** Long enough for whatever may begin to have begun. */
const aWhile = () => setTimeout(50)

test('a request behind an unanswered one begins when the thread has time, sixteen at once, in order; their connection is not read until the last has begun', async (t) => {
  const one = aConnection(t)
  const { send, finish, begun, socket } = one
  send(0)
  assert.deepEqual([begun, socket.isRead], [[0], true])
  for (const number of numbers(ACTIVE_MAX + 2).slice(1)) send(number)
  assert.deepEqual([begun, socket.isRead], [[0], false])
  await untilBegun(one, ACTIVE_MAX)
  await aWhile()
  assert.deepEqual([begun.length, socket.isRead], [ACTIVE_MAX, false])
  finish()
  await untilBegun(one, ACTIVE_MAX + 1)
  assert.equal(socket.isRead, false)
  finish()
  await untilBegun(one, ACTIVE_MAX + 2)
  assert.deepEqual([begun, socket.isRead], [numbers(ACTIVE_MAX + 2), true])
})

test('connections that send many requests at once take turns', async (t) => {
  const connections = createConnections(() => undefined)
  const [one, other] = [aConnection(t, connections), aConnection(t, connections)]
  const begun: string[] = []
  for (const number of numbers(8)) {
    one.send(number, () => begun.push('one'))
    other.send(number, () => begun.push('other'))
  }
  while (begun.length < 16) await setTimeout(1)
  assert.deepEqual(begun, Array.from({ length: 8 }, () => ['one', 'other']).flat())
})

test('no request begins while its client leaves more than 64 KiB of earlier answers unread', async (t) => {
  const one = aConnection(t)
  one.send(0)
  one.socket.writableLength = 64 * 1024 + 1
  one.send(1)
  one.send(2)
  await aWhile()
  assert.deepEqual(one.begun, [0])
  one.socket.writableLength = 0
  one.finish()
  await untilBegun(one, 3)
})

test('while unread answers exceed 64 MiB, the connections with the most are closed, as soon as that is sent', (t) => {
  const connections = createConnections(() => undefined)
  const all = [3, 40, 30, 2].map((mib) => {
    const one = aConnection(t, connections)
    one.send(0)
    one.socket.writableLength = mib * 2 ** 20
    return one
  })
  const closed = () => all.map(({ socket }) => socket.destroyed)
  connections.sending(2 ** 20)
  assert.deepEqual(closed(), [false, false, false, false])
  connections.sending(15 * 2 ** 20)
  assert.deepEqual(closed(), [false, true, false, false])
})

test('of a connection that is closed because too many requests wait, Node makes no more requests', async (t) => {
  const connections = createConnections(() => undefined)
  const server = createServer()
  server.on('connection', connections.add)
  server.on('clientError', connections.refuse)
  server.on(
    'request',
    connections.inTurn(() => undefined),
  )
  const made = new Map<unknown, number>()
  const count = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    made.set(socket, (made.get(socket) ?? 0) + 1)
  }
  subscribe('http.server.request.start', count)
  t.after(() => {
    unsubscribe('http.server.request.start', count)
    server.close().closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const clients = numbers(6).map(() => connect(port, '127.0.0.1').on('error', () => undefined))
  t.after(() => clients.map((client) => client.destroy()))
  const closed = () => clients.filter(({ destroyed }) => destroyed).length
  for (const client of clients) client.resume().write('GET / HTTP/1.1\r\nhost: laurel\r\n\r\n'.repeat(1_500))
  await eventually('those beyond the first are closed', async () => closed() >= 4)
  const most = [...made.values()].sort((one, other) => other - one)
  assert(
    most.slice(2).every((requests) => requests < 1_000),
    most.join(),
  )
  assert(most.at(-1)! < 600, most.join())
})

test('a connection that sends more than may wait is closed, whatever parses it', (t) => {
  for (const parser of [undefined, null, {}, { onIncoming: () => 0 }]) {
    const { socket, send } = aConnection(t)
    Object.assign(socket, { parser })
    for (const number of numbers(2_100)) send(number)
    assert.equal(socket.destroyed, true)
    assert.equal(parser?.onIncoming?.() ?? -1, -1)
  }
})

test('after a burst, connections that have been answered are read in the next turn, and new ones as the thread has time', async (t) => {
  const connections = createConnections(() => undefined)
  const [hasty, fair, fresh] = [1, 2, 3].map(() => aConnection(t, connections)) as [
    ReturnType<typeof aConnection>,
    ReturnType<typeof aConnection>,
    ReturnType<typeof aConnection>,
  ]
  fair.send(0)
  fair.finish()
  for (const number of numbers(40)) hasty.send(number)
  assert.deepEqual([fair.socket.isRead, fresh.socket.isRead], [false, false])
  await setImmediate()
  assert.equal(fair.socket.isRead, true)
  await eventually('the new one is read', async () => fresh.socket.isRead)
})

test('when the service stops, refused connections are read again, and requests that wait begin', async (t) => {
  const full = aConnection(t)
  for (const number of numbers(3)) full.send(number)
  const refused = aConnection(t)
  refused.send(0)
  for (const { connections, real } of [full, refused]) connections.pauseReading(real)
  assert.deepEqual([full.socket.isRead, refused.socket.isRead], [false, false])
  const ended = [full, refused].map(({ connections }) => connections.end())
  assert.deepEqual([full.socket.isRead, refused.socket.isRead], [false, true])
  await untilBegun(full, 3)
  assert.equal(full.socket.isRead, true)
  for (const { socket } of [full, refused]) socket.emit('close')
  await Promise.all(ended)
})

test('bytes that are not HTTP are answered once, after the requests before them', async (t) => {
  const one = aConnection(t)
  const { connections, real, send, finish, broken } = one
  for (const number of numbers(3)) send(number)
  for (const text of ['first', 'again']) connections.refuse(new Error(text), real)
  await untilBegun(one, 3)
  for (const _ of numbers(2)) finish()
  assert.deepEqual(broken, [])
  finish()
  assert.deepEqual(broken, ['first'])
})

test('while the service stops, a connection closes with the answer that has no request behind it, neither in progress nor waiting', async (t) => {
  const one = aConnection(t)
  const { connections, send, oldest, newest } = one
  connections.drain()
  send(0)
  assert.equal(connections.closesWith(newest()), true)
  send(1)
  assert.equal(connections.closesWith(newest()), false, 'one waits behind it')
  await untilBegun(one, 2)
  assert.deepEqual([connections.closesWith(oldest()), connections.closesWith(newest())], [false, true])
})

test('connections are kept just before the port closes, and close with their last answers once it has closed (decision 113)', async (t) => {
  const { connections, socket, send, newest } = aConnection(t)
  send(0)
  const closes = () => connections.closesWith(newest())
  assert.equal(closes(), false)
  connections.settle()
  connections.drain()
  assert.equal(closes(), true)
  connections.settle()
  connections.drain()
  assert.equal(closes(), false)
  const ended = connections.end()
  assert.equal(closes(), false, 'another worker may still listen')
  await eventually('it closes with its last answer', async () => closes())
  socket.emit('close')
  await ended
})

test('a request whose body turns out to be broken while it waits is answered as soon as it has begun, if all before it are answered by then', async (t) => {
  const one = aConnection(t)
  one.send(0)
  one.send(1, undefined, false)
  one.connections.refuse(new Error('no chunk'), one.real)
  one.finish()
  assert.deepEqual(one.broken, [])
  await untilBegun(one, 2)
  assert.deepEqual(one.broken, ['no chunk'])
})

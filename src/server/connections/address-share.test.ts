import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { createAddressShare } from './address-share.ts'

function connecting(connectionsMax: number, trustedProxies: readonly string[] = []) {
  const isWithinShare = createAddressShare(connectionsMax, trustedProxies)
  return (remoteAddress: string | undefined) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress })
    return { isKept: isWithinShare(socket as never), close: () => socket.emit('close') }
  }
}

test('an address has half of the connections, rounded up; each that closes makes room for another', () => {
  const connect = connecting(5)
  const kept = ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7'].map(connect)
  const refused = connect('203.0.113.7')
  assert.deepEqual(
    [...kept, refused].map(({ isKept }) => isKept),
    [true, true, true, false],
  )
  refused.close()
  assert.equal(connect('203.0.113.7').isKept, false, 'one that was refused did not count')
  assert.equal(connect('203.0.113.8').isKept, true)
  for (const { close } of kept) close()
  for (const isKept of [true, true, true, false]) assert.equal(connect('203.0.113.7').isKept, isKept)
})

test('a single connection is kept where no more are allowed', () => {
  const connect = connecting(1)
  assert.deepEqual([connect('203.0.113.7').isKept, connect('203.0.113.7').isKept], [true, false])
})

test('the addresses of a /64 network have one share', () => {
  const connect = connecting(2)
  assert.deepEqual(
    ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((address) => connect(address).isKept),
    [true, false, true],
  )
})

test('trusted proxies, by address or network and however written, and clients that have gone already are not counted', () => {
  const connect = connecting(2, ['10.0.0.5', '10.1.0.0/16', '::1', 'fd00::/8'])
  for (const address of ['10.0.0.5', '::ffff:10.0.0.5', '10.1.2.3', '::ffff:10.1.2.3', '::1', 'fd12::1', undefined])
    assert.deepEqual(
      [1, 2, 3].map(() => connect(address).isKept),
      [true, true, true],
      String(address),
    )
  for (const address of ['10.0.0.6', '10.2.0.1', '::2', 'fe00::1'])
    assert.deepEqual(
      [1, 2].map(() => connect(address).isKept),
      [true, false],
      address,
    )
})

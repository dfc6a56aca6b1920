import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { addressKey } from './address-key.ts'

test('an IPv4 address is counted by itself, however it is written, and an IPv6 address by its /64 network', () => {
  const same = (addresses: readonly string[], key: string) =>
    assert.deepEqual(addresses.map(addressKey), Array(addresses.length).fill(key))
  same(['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:203.0.113.7'], '203.0.113.7')
  same(
    ['2001:db8::', '2001:DB8::1', '2001:0db8:0:0:1:2:3:4', '2001:db8:0:0:ffff::%eth0', '2001:db8::1:2:203.0.113.7'],
    '2001:db8:0:0::/64',
  )
  same(['2001:db8:0:1::1', '2001:db8:0:1:2:3:203.0.113.7', '2001:db8::1:2:3:4:5'], '2001:db8:0:1::/64')
  same(['1:2:3:4::', '1:2:3:4::5', '1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7.8.9.10'], '1:2:3:4::/64')
  same(['::', '::1', '::2:3:4'], '0:0:0:0::/64')
  for (const other of ['', 'unknown', '203.0.113.7:80', '[::1]:80', ':::']) assert.equal(addressKey(other), other)
})

test('two IPv6 addresses have the same key exactly if their first four groups are the same, with or without zeros left out', () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
  const groups = fc.array(group, { minLength: 8, maxLength: 8 })
  const shortened = (all: readonly number[]) =>
    new URL(`http://[${all.map((one) => one.toString(16)).join(':')}]`).hostname.slice(1, -1)
  fc.assert(
    fc.property(groups, groups, fc.boolean(), (one, other, isSameNetwork) => {
      const second = isSameNetwork ? [...one.slice(0, 4), ...other.slice(4)] : other
      const isEqual = one.slice(0, 4).join() === second.slice(0, 4).join()
      const full = one.map((value) => value.toString(16).padStart(4, '0')).join(':')
      assert.equal(addressKey(full) === addressKey(shortened(second)), isEqual)
    }),
  )
})

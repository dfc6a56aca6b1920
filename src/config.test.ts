import assert from 'node:assert/strict'
import test from 'node:test'
import { readConfig } from './config.ts'

test('trusted proxies are addresses or networks that exist; anything else stops the start with what is expected', () => {
  const read = (TRUSTED_PROXIES: string) => readConfig({ TRUSTED_PROXIES }).trustedProxies
  assert.deepEqual(read('10.0.0.5, 10.0.0.0/8,::1,fd00::/8'), ['10.0.0.5', '10.0.0.0/8', '::1', 'fd00::/8'])
  for (const wrong of ['10.0.0.0/33', 'abc', '1:::2', '::1/129', '10.0.0.1/', '10.0.0.1/8/8', ',', '10.0.0']) {
    assert.throws(() => read(wrong), /^Error: TRUSTED_PROXIES is ".*", expected addresses or networks/)
  }
})

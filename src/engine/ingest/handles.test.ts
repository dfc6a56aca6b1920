import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createHandles } from './handles.ts'

const handles = createHandles(Buffer.alloc(30, 7))
const ids = fc
  .string({ minLength: 1, maxLength: 200, unit: 'binary' })
  .filter((id) => !id.includes('\0') && id.isWellFormed())

test('a handle stands for its id, is the same each time, and differs from that of every other id (decision 218)', () => {
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      const handle = handles.of(one)
      assert.match(handle, /^player~[\w-]{38,}$/)
      assert.equal(handles.idIn(handle), one)
      assert.equal(handles.of(one), handle)
      if (one !== other) assert.notEqual(handles.of(other), handle)
    }),
  )
})

test('a handle shows the length of an id only to 16 bytes, and nothing else of it', () => {
  const lengths = new Set(['1', '919876543210', 'x'.repeat(16)].map((id) => handles.of(id).length))
  assert.deepEqual([...lengths], [45])
  const [one, next] = ['919876543210', '919876543211'].map((id) => Buffer.from(handles.of(id).slice(7), 'base64url'))
  const same = one!.filter((byte, index) => byte === next![index])
  assert(same.length < 8, 'ids that are alike have handles that are not')
})

test('a text that is no handle of this service is an id', () => {
  const other = createHandles(randomBytes(30)).of('u-1')
  const own = handles.of('u-1')
  const changed = own.slice(0, -3) + (own.at(-3) === 'A' ? 'B' : 'A') + own.slice(-2)
  for (const text of ['u-1', '', 'player~', 'player~u-1', 'player~\u00e9', other, changed, own.slice(0, 30)])
    assert.equal(handles.idIn(text), text)
})

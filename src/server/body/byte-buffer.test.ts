import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createByteBuffer } from './byte-buffer.ts'

test('bytes come out as they went in, whatever the chunks, and the buffer can be reused afterwards', () => {
  const chunks = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 4_000, max: 20_000 })), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(chunks, chunks, (...rounds) => {
      const bytes = createByteBuffer()
      for (const sizes of rounds) {
        const sent = sizes.map((size, place) => Buffer.alloc(size, place + 1))
        for (const chunk of sent) bytes.add(Buffer.from(chunk))
        assert.equal(bytes.length(), Buffer.concat(sent).length)
        assert.ok(bytes.take().equals(Buffer.concat(sent)))
        assert.equal(bytes.length(), 0)
      }
    }),
  )
})

test('a small chunk is copied, so that its owner may overwrite it', () => {
  const bytes = createByteBuffer()
  const chunk = Buffer.from('abc')
  bytes.add(chunk)
  chunk.fill('x')
  assert.equal(bytes.take().toString(), 'abc')
})

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { scanNesting, startNesting } from '../ingest/nesting.ts'
import { recordsIn } from '../ingest/pieces.ts'
import { openListCutter } from './list-body.ts'

/** What a body holds, read as it arrives in pieces: its records, 'no JSON', or 'odd' where it is to be read as a whole. */
function readInPieces(body: Buffer, sizes: readonly number[], pieceBytesMin: number): unknown[] | 'no JSON' | 'odd' {
  const nesting = startNesting()
  const cutter = openListCutter(pieceBytesMin)
  for (let from = 0, turn = 0; from < body.length; turn += 1) {
    const chunk = body.subarray(from, from + sizes[turn % sizes.length]!)
    scanNesting(nesting, chunk)
    cutter.add(chunk, nesting)
    from += chunk.length
  }
  const read = cutter.end()
  if ('bytes' in read) {
    assert.deepEqual(read.bytes, body, 'an odd body comes out as it went in')
    return 'odd'
  }
  try {
    return read.pieces.flatMap(recordsIn)
  } catch {
    return 'no JSON'
  }
}

/** What JSON.parse makes of it: the list in `data`, or 'no JSON' or 'odd' alike. */
function readAtOnce(body: Buffer): unknown[] | 'no JSON' | 'odd' {
  try {
    const value = JSON.parse(body.toString())
    const isPlain = Object.keys(value).join() === 'data' && Array.isArray(value.data)
    return isPlain ? value.data : 'odd'
  } catch {
    return 'no JSON'
  }
}

const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
const pieces = fc.integer({ min: 0, max: 60 })
const records = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 12 })

test('a list of records is the same, wherever its bytes are cut', () => {
  fc.assert(
    fc.property(records, cuts, pieces, fc.constantFrom(0, 1, 3), (data, sizes, pieceBytesMin, indent) => {
      const body = Buffer.from(JSON.stringify({ data }, undefined, indent))
      assert.deepEqual(readInPieces(body, sizes, pieceBytesMin), JSON.parse(body.toString()).data)
    }),
    { numRuns: 500 },
  )
})

test('a body that is broken anywhere is never taken for a list of records', () => {
  const damage = fc.record({
    at: fc.nat(),
    drop: fc.integer({ min: 0, max: 3 }),
    put: fc.constantFrom(
      '',
      ',',
      ']',
      '[',
      '}',
      '{',
      '"',
      '\\',
      ':',
      ' ',
      ',"data":[]',
      ',"more":1',
      '1',
      '\ufeff',
      'null',
    ),
  })
  fc.assert(
    fc.property(records, fc.array(damage, { maxLength: 3 }), cuts, pieces, (data, damages, sizes, pieceBytesMin) => {
      let text = JSON.stringify({ data })
      for (const { at, drop, put } of damages) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + put + text.slice(place + drop)
      }
      const body = Buffer.from(text)
      const found = readInPieces(body, sizes, pieceBytesMin)
      // What is odd is read as a whole, by JSON.parse itself.
      if (found !== 'odd') assert.deepEqual(found, readAtOnce(body), text)
    }),
    { numRuns: 2_000 },
  )
})

test('a list with a character that is cut in two is no JSON, and one with a broken character neither', () => {
  const whole = Buffer.from('{"data":["ä","ö","ü"]}')
  assert.deepEqual(readInPieces(whole, [1], 0), ['ä', 'ö', 'ü'])
  const broken = Buffer.from(whole)
  broken[whole.indexOf('ö') + 1] = 0x20
  assert.equal(readInPieces(broken, [1], 0), 'no JSON')
})

test('nothing beside a comma is left to JSON.parse, which refuses it; nothing at all is an empty list', () => {
  for (const list of ['[,1]', '[1,]', '[1,,2]', '[,]', '[ , ]'])
    assert.equal(typeof readInPieces(Buffer.from(`{"data":${list}}`), [1], 0), 'string', list)
  for (const list of ['[]', '[ ]', '[\n]'])
    assert.deepEqual(readInPieces(Buffer.from(`{"data":${list}}`), [1], 0), [], list)
})

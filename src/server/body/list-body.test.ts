import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { scanNesting, startNesting } from '../../engine/ingest/nesting.ts'
import { recordsIn } from '../../engine/ingest/sent-json.ts'
import { InvalidInput } from '../../errors.ts'
import { createListCutter } from './list-body.ts'

/** A body read in pieces as it arrives: the value of `data`, 'no JSON', or 'twice' where `data` occurs twice. */
function readInPieces(body: Buffer, sizes: readonly number[], pieceBytesMin: number): unknown {
  const nesting = startNesting()
  const pieces: Buffer[] = []
  const cutter = createListCutter((piece) => void pieces.push(piece), pieceBytesMin)
  for (let from = 0, turn = 0; from < body.length; turn += 1) {
    const chunk = body.subarray(from, from + sizes[turn % sizes.length]!)
    scanNesting(nesting, chunk)
    cutter.add(chunk, nesting)
    from += chunk.length
  }
  try {
    const other = cutter.end()
    const records = pieces.flatMap(recordsIn)
    return other === undefined ? records : dataOf(other.value)
  } catch (error) {
    return error instanceof InvalidInput && error.path === 'data' ? 'twice' : 'no JSON'
  }
}

/** The same body read by JSON.parse. */
function readAtOnce(body: Buffer): unknown {
  try {
    return dataOf(JSON.parse(body.toString()))
  } catch {
    return 'no JSON'
  }
}

function dataOf(value: unknown): unknown {
  return (value as { data?: unknown } | null)?.data
}

const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
const pieces = fc.integer({ min: 0, max: 60 })
const records = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 12 })

test('a list of records is read the same wherever its bytes are cut', () => {
  fc.assert(
    fc.property(records, cuts, pieces, fc.constantFrom(0, 1, 3), (data, sizes, pieceBytesMin, indent) => {
      const body = Buffer.from(JSON.stringify({ data }, undefined, indent))
      assert.deepEqual(readInPieces(body, sizes, pieceBytesMin), JSON.parse(body.toString()).data)
    }),
    { numRuns: 500 },
  )
})

test('a damaged body is never taken for a list of records', () => {
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
      if (found === 'twice') assert.match(text, /"data".*"data"/)
      else assert.deepEqual(found, readAtOnce(body), text)
    }),
    { numRuns: 2_000 },
  )
})

test('a character cut in two is read as one, and a broken character is not JSON', () => {
  const whole = Buffer.from('{"data":["ä","ö","ü"]}')
  assert.deepEqual(readInPieces(whole, [1], 0), ['ä', 'ö', 'ü'])
  const broken = Buffer.from(whole)
  broken[whole.indexOf('ö') + 1] = 0x20
  assert.equal(readInPieces(broken, [1], 0), 'no JSON')
})

test('a comma without a value on each side is not JSON; a list without values is empty', () => {
  for (const list of ['[,1]', '[1,]', '[1,,2]', '[,]', '[ , ]'])
    for (const bytes of [1, 100])
      assert.equal(readInPieces(Buffer.from(`{"data":${list}}`), [bytes], 0), 'no JSON', list)
  for (const list of ['[]', '[ ]', '[\n]'])
    assert.deepEqual(readInPieces(Buffer.from(`{"data":${list}}`), [1], 0), [], list)
})

test('what surrounds the list is ignored, but a second `data` is refused', () => {
  const read = (text: string) => readInPieces(Buffer.from(text), [3], 0)
  assert.deepEqual(read('{"data":[1,2],"more":{"data":[3]}}'), [1, 2])
  assert.deepEqual(read('{"more":1,"data":[1,2]}'), [1, 2])
  assert.equal(read('{"data":[1,2],"data":[3]}'), 'twice')
  assert.equal(read('{"data":[1,2],"d\\u0061ta":0}'), 'twice')
  assert.equal(read('{"data":[1,2],"more":}'), 'no JSON')
  assert.equal(read('{"data":[1,2]'), 'no JSON')
  assert.equal(read('{"data":[1,2]}]'), 'no JSON')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonOf, jsonSum, parseSums } from './json-sums.ts'

test('a sum within 2^53-1 is a number, and its JSON that of JSON.stringify', () => {
  const sums = [0n, -1n, 540n, 2n ** 53n - 1n, 1n - 2n ** 53n]
  const value = { sums: sums.map(jsonSum), text: '9007199254740993', none: null }
  assert.deepEqual(value.sums, sums.map(Number))
  assert.equal(jsonOf(value, 2), JSON.stringify(value, null, 2))
  assert.deepEqual(parseSums(jsonOf(value)), value)
})

test('a sum beyond 2^53-1 is written and read with all its digits', () => {
  const sums = [2n ** 53n, -(2n ** 53n), 18_014_398_509_481_981n, -(10n ** 30n) - 1n]
  const value = { lots: sums.map((sum) => ({ points: jsonSum(sum) })) }
  const text = jsonOf(value)
  assert.equal(text, `{"lots":[${sums.map((sum) => `{"points":${sum}}`).join()}]}`)
  assert.deepEqual(parseSums(text), { lots: sums.map((points) => ({ points })) })
  assert.deepEqual(parseSums(text, String), { lots: sums.map((points) => ({ points: String(points) })) })
})

test('numbers that are no sums, and what is not JSON, are read as JSON.parse reads them', () => {
  const text = '[1e300, 0.12345678901234567, "9007199254740993", 12345678901234567.0]'
  assert.deepEqual(parseSums(text), JSON.parse(text))
  assert.throws(() => parseSums('{9007199254740993'), SyntaxError)
})

test('a sum is found wherever it stands, and ids with as many digits do not make reading slow', (t) => {
  const texts = ['9007199254740993', '[ 9007199254740993 ]', '[1,9007199254740993]', '{"a":\n-9007199254740993}']
  for (const text of texts) assert.equal(jsonOf(parseSums(text)), text.replaceAll(/\s/g, ''))
  const parse = t.mock.method(JSON, 'parse')
  parseSums('{"user_id":"9007199254740993"}')
  assert.equal(parse.mock.calls[0]?.arguments.length, 1)
})

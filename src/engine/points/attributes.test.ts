import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, published } from '../../../test/support/points.ts'
import { attributeSetOf } from './attributes.ts'
import { type Order, UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import { readProgram } from './program.ts'

const TYPES = {
  product: { category: 'text', tags: 'texts', gift_card: 'yes-no', weight: 'number' },
  order: { channel: 'text', pickup_on: 'date', rank: 'number' },
}
const CONTEXT = { levelPoints: 0n, referral: { why: 'no-code' } } as const

const predicted = (order: Order, when: string) =>
  predict(
    order,
    UNKNOWN_PLAYER,
    new Map(),
    published({ attributes: TYPES, earn: [{ name: 'one', when, fixed: { points: 1 } }] }),
    CONTEXT,
  )

const order = (attributes: object, ...lines: object[]) =>
  orderOf({
    attributes: attributeSetOf(attributes as Record<string, unknown>),
    lines: lines.map((one) => ({ qty: 10_000n, attributes: attributeSetOf(one as Record<string, unknown>) })),
  })

test('conditions read declared attributes of lines and orders, exactly and by their types', () => {
  const sent = order(
    { channel: 'app', pickup_on: '2026-11-27', rank: 4.5 },
    { category: 'tea', tags: ['organic', 'green'], gift_card: true, weight: '0.1' },
  )
  for (const when of [
    'line.attributes.category == "tea" && order.attributes.channel == "app"',
    '"organic" in line.attributes.tags && line.attributes.tags.size() == 2',
    'line.attributes.tags.exists(tag, tag.startsWith("gre"))',
    'line.attributes.gift_card && line.attributes.weight * 3.0 == 0.3',
    'order.attributes.rank > 4 && order.attributes.pickup_on >= "2026-11-01"',
    'order.lines.exists(l, l.attributes.category == "tea")',
    'line.attributes.category == "tea" && lines.qty == 1.0',
  ])
    assert.equal(predicted(sent, when).points, 1n, when)
})

test('a missing attribute is empty, 0, false or an empty list, and a rule on a missing date does not apply', () => {
  const missing =
    'line.attributes.category == "" && line.attributes.tags == [] && !line.attributes.gift_card && line.attributes.weight == 0'
  assert.equal(predicted(orderOf({ lines: [{ qty: 10_000n }] }), missing).points, 1n)
  assert.match(
    predicted(orderOf(), 'order.attributes.pickup_on < "2026-11-01"').notApplied[0]!.why,
    /^condition cannot be evaluated for this order/,
  )
})

test('a value of another type counts as missing and leaves a note', () => {
  const { points, notes } = predicted(
    order({ channel: 7, pickup_on: '2026-02-30' }, { tags: 'organic', weight: 'heavy', other: 1 }),
    'order.attributes.channel == "" && line.attributes.tags == []',
  )
  assert.equal(points, 1n)
  assert.deepEqual(
    notes.filter(({ kind }) => kind === 'attribute-type').map(({ text, line }) => [text.split(' is ')[0], line]),
    [
      ['attribute channel', undefined],
      ['attribute pickup_on', undefined],
      ['attribute tags of line 0', 0],
      ['attribute weight of line 0', 0],
    ],
  )
})

test('a program names what is undeclared, misspelt or of the wrong type in its attributes', () => {
  const issuesOf = (when: string, attributes?: object) => {
    const read = readProgram({
      ...{ name: 'Test', rounding: 'floor', earn: [{ name: 'one', when, fixed: { points: 1 } }] },
      levels: { counts: 'lifetime', ladder: [{ name: 'Bronze', from: 0 }] },
      ...(attributes === undefined ? {} : { attributes }),
    })
    return 'issues' in read ? read.issues.map(({ path, error }) => `${path}: ${error}`) : []
  }
  assert.match(
    issuesOf('line.attributes.category == "tea"')[0]!,
    /No such key: attributes; declare them in the section attributes of the program$/,
  )
  assert.match(
    issuesOf('line.attributes.categry == "tea"', TYPES)[0]!,
    /No such key: categry; declared are category, tags/,
  )
  assert.match(issuesOf('order.attributes.chanel == "x"', TYPES)[0]!, /declared are channel, pickup_on, rank$/)
  assert.equal(issuesOf('line.attributes.category > 3', TYPES).length, 1)
  assert.deepEqual(issuesOf('order.net > 1', { product: { Category: 'text' } }).length, 1)
  assert.deepEqual(issuesOf('order.net > 1', { product: { constructor: 'text' } }).length, 1)
  assert.deepEqual(issuesOf('order.net > 1', { product: { category: 'string' } }), [
    'attributes.product.category: expected one of text, number, yes-no, date, texts',
  ])
})

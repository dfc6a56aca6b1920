import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, published } from '../../../test/support/points.ts'
import { attributeSetOf, withProductAttributes } from './attributes.ts'
import { type Order, type Player, UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import { readProgram } from './program.ts'

const TYPES = {
  product: { category: 'text', tags: 'texts', gift_card: 'yes-no', weight: 'number' },
  order: { channel: 'text', pickup_on: 'date', rank: 'number' },
  player: { vip: 'yes-no', joined: 'date', segments: 'texts' },
}
const CONTEXT = { levelPoints: 0n, referral: { why: 'no-code' } } as const

const predicted = (order: Order, when: string, player: Player = UNKNOWN_PLAYER) =>
  predict(
    order,
    player,
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

const playerWith = (attributes: Readonly<Record<string, unknown>>): Player => ({
  ...UNKNOWN_PLAYER,
  known: true,
  attributes: attributeSetOf(attributes),
})

test('conditions read declared attributes of players, missing ones as those of orders, and of another type with a note', () => {
  const asha = playerWith({ vip: true, joined: '2025-03-01', segments: ['tea', 'local'], other: 'x' })
  for (const when of [
    'player.attributes.vip && player.attributes.joined < "2026-01-01"',
    '"tea" in player.attributes.segments && line.qty == 1.0',
    'player.attributes.vip ? player.orders == 0 : false',
  ])
    assert.equal(predicted(order({}, {}), when, asha).points, 1n, when)
  assert.equal(predicted(orderOf(), '!player.attributes.vip && player.attributes.segments == []').points, 1n)
  assert.match(
    predicted(orderOf(), 'player.attributes.joined < "2026-01-01"').notApplied[0]!.why,
    /^condition cannot be evaluated for this order/,
  )
  const mistaken = predicted(orderOf(), '!player.attributes.vip', playerWith({ vip: 'sometimes', joined: 2025 }))
  assert.equal(mistaken.points, 1n)
  assert.deepEqual(
    mistaken.notes.map(({ kind, text }) => `${kind}: ${text.split(':')[0]}`),
    ['vip', 'joined'].map(
      (name) => `attribute-type: attribute ${name} of the player is of another type than the program declares`,
    ),
  )
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
    /line\.attributes is not declared: declare it under attributes\.product of the program$/,
  )
  assert.match(
    issuesOf('line.attributes.categry == "tea"', TYPES)[0]!,
    /unknown attribute categry, did you mean category\?$/,
  )
  assert.match(issuesOf('order.attributes.shop == "x"', TYPES)[0]!, /declared are channel, pickup_on, rank$/)
  assert.match(
    issuesOf('player.attributes.vp', TYPES)[0]!,
    /unknown attribute vp: declare it under attributes.player of the program; declared are vip, joined, segments$/,
  )
  assert.match(
    issuesOf('player.attributes.vip')[0]!,
    /player.attributes is not declared: declare it under attributes.player of the program$/,
  )
  assert.match(issuesOf('player.attributes.vip == "yes"', TYPES)[0]!, /== cannot compare true or false with a text/)
  assert.equal(issuesOf('line.attributes.category > 3', TYPES).length, 1)
  assert.deepEqual(issuesOf('order.net > 1', { product: { Category: 'text' } }).length, 1)
  assert.deepEqual(issuesOf('order.net > 1', { product: { constructor: 'text' } }).length, 1)
  assert.deepEqual(issuesOf('order.net > 1', { product: { category: 'string' } }), [
    'attributes.product.category: expected one of text, number, yes-no, date, texts, did you mean text?',
  ])
})

test('lines carry the declared attributes of their products, under their own, and no others', () => {
  const product = attributeSetOf({ brand: 'X', category: 'tea', tags: ['a,"}', 'b'], weight: 1.5 })
  const facts = { attributes: new Map([['A', product]]) }
  const lines = [
    { sku: 'A', qty: 10_000n },
    { sku: 'A', qty: 10_000n, attributes: attributeSetOf({ category: 'pot', colour: 'red' }) },
    { sku: 'B', qty: 10_000n, attributes: attributeSetOf({ category: 'cup', colour: 'red' }) },
  ]
  const seenBy = (attributes: object) =>
    withProductAttributes(orderOf({ lines }), facts, published({ attributes }).program).lines.map(
      (line) => line.attributes,
    )
  assert.deepEqual(seenBy({ product: { tags: 'texts', category: 'text', gift_card: 'yes-no' } }), [
    '{"category":"tea","tags":["a,\\"}","b"]}',
    '{"category":"pot","tags":["a,\\"}","b"]}',
    lines[2]!.attributes,
  ])
  assert.deepEqual(
    seenBy({ order: { channel: 'text' } }),
    lines.map((line) => line.attributes),
  )
})

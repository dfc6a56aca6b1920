import assert from 'node:assert/strict'
import test from 'node:test'
import { createHandles } from '../engine/ingest/handles.ts'
import { finish } from '../engine/points/in-parts.ts'
import { personal, Type } from '../engine/points/json-schema.ts'
import { type Scope, withIncluded } from '../scopes.ts'
import { masked, maskedResult, viewOf } from './masking.ts'

const handles = createHandles(Buffer.alloc(30))
const viewWith = (...scopes: Scope[]) => viewOf({ scopes: withIncluded(scopes) }, handles)

test('with the scope support, ids are shown, and the first letter of each word of a name (decisions 67 and 218)', () => {
  const view = viewWith('support')
  assert.deepEqual(
    [view.id('919876543210'), view.code('ASHA'), view.email('asha@example.com')],
    ['919876543210', 'ASHA', 'a•••'],
  )
  assert.deepEqual(['Asha  Rao', 'Ñandú', '𝒜sha', ''].map(view.name), ['A•••  R•••', 'Ñ•••', '𝒜•••', ''])
  assert.deepEqual(viewWith('admin').id('u-1'), 'u-1')
})

test('without it, an id has a handle, and of names, addresses and codes only whether there is one (decision 218)', () => {
  const view = viewWith('read', 'program', 'account')
  assert.equal(handles.idIn(view.id('u-1')), 'u-1')
  for (const hide of [view.code, view.name, view.email, masked])
    assert.deepEqual(['Asha  Rao', 'B', ''].map(hide), ['•••', '•••', ''])
})

const text = Type.String()
const schema = Type.Object({
  orders: Type.Integer(),
  rows: Type.Array(Type.Object({ user_id: personal('id', text), said: personal('text', text) })),
  ids: Type.Array(personal('id', text)),
  after: Type.Union([personal('id', text), Type.Null()]),
  either: Type.Union([Type.Object({ points: Type.Integer() }), Type.Object({ rule: text })]),
  named: Type.Unsafe({ type: 'object', additionalProperties: text }),
})

test('of the result of a job, a field that is not declared in its place is hidden, whatever it holds (decision 218)', () => {
  const result = {
    orders: 2,
    rows: [{ user_id: 'u-1', said: 'by u-1', phone: '+91', tags: ['a'], age: 30, since: null, orders: 5 }],
    ids: ['u-1'],
    after: null,
    either: { points: 5, rule: 'base', user_id: 'u-1' },
    named: { any: 'word', deep: { orders: 5 } },
    more: [['x', { orders: 2 }]],
    points: 5,
    constructor: 'x',
  }
  const row = { said: '•••', phone: '•••', tags: ['•••'], age: '•••', since: null, orders: '•••' }
  const shown = {
    orders: 2,
    after: null,
    either: { points: 5, rule: 'base', user_id: '•••' },
    named: { any: 'word', deep: { orders: '•••' } },
    more: [['•••', { orders: '•••' }]],
    points: '•••',
    constructor: '•••',
  }
  for (const [view, id] of [
    [viewWith('support'), 'u-1'],
    [viewWith('read'), handles.of('u-1')],
  ] as const)
    assert.deepEqual(finish(maskedResult(result, schema, view)), {
      ...shown,
      rows: [{ user_id: id, ...row }],
      ids: [id],
    })
})

test('a value where a result declares a list or an object is hidden, and what is no text in the place of an ID', () => {
  const parts = maskedResult(
    { rows: 'u-1', either: 'u-1', ids: [5, '', null], after: ['u-1'] },
    schema,
    viewWith('read'),
  )
  assert.deepEqual(finish(parts), { rows: '•••', either: '•••', ids: ['•••', handles.of(''), null], after: ['•••'] })
})

test('a long list is masked in parts, one for each element', () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => ({ user_id: `u-${n}`, said: '' }))
  const parts = [...maskedResult({ rows }, schema, viewWith('read'))]
  assert.equal(parts.length, 1_000)
})

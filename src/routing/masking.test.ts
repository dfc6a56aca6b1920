import assert from 'node:assert/strict'
import test from 'node:test'
import { createHandles } from '../engine/ingest/handles.ts'
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

test('of the result of a job, a field that is not declared is hidden, whatever it holds (decision 218)', () => {
  const result = {
    orders: 2,
    rows: [{ user_id: 'u-1', phone: '+91', tags: ['a'], age: 30, since: null }],
    ids: ['u-1'],
    more: [['x']],
  }
  const shows = { shown: ['orders'], ids: ['user_id', 'ids'] }
  const row = { user_id: 'u-1', phone: '•••', tags: ['•••'], age: '•••', since: null }
  assert.deepEqual(maskedResult(result, shows, viewWith('support')), {
    orders: 2,
    rows: [row],
    ids: ['u-1'],
    more: [['•••']],
  })
  const [handle] = [handles.of('u-1')]
  assert.deepEqual(maskedResult(result, shows, viewWith('read')), {
    ...{ orders: 2, rows: [{ ...row, user_id: handle }] },
    ...{ ids: [handle], more: [['•••']] },
  })
})

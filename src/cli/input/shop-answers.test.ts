import assert from 'node:assert/strict'
import { createInterface } from 'node:readline/promises'
import { PassThrough } from 'node:stream'
import test from 'node:test'
import { OperatorError } from '../../errors.ts'
import { askAboutShop, SHOP_QUESTIONS } from './shop-answers.ts'

const terminalOf = (input: PassThrough) => createInterface({ input, output: new PassThrough() })

test('countries are codes or names that exist, in the languages of shops', () => {
  const { read } = SHOP_QUESTIONS.countries
  for (const text of [
    'Germany,United Kingdom',
    'Deutschland, Österreich',
    'in',
    'US,GB',
    'USA,UK',
    'Côte d’Ivoire',
    '日本',
  ])
    assert.notEqual(read(text), undefined, text)
  assert.deepEqual(read(' Germany ,GB'), ['Germany', 'GB'])
  for (const text of ['Narnia', 'Germany,Narnia', 'Germany,', '', 'ZZ', 'Unknown Region', 'XX'])
    assert.equal(read(text), undefined, text)
})

test('a terminal that is closed before the last answer ends the questions with a sentence', async () => {
  const input = new PassThrough()
  const asked = askAboutShop({}, terminalOf(input))
  input.write('GBP\n')
  setImmediate(() => input.end())
  await assert.rejects(asked, new OperatorError('the questions were not all answered: nothing was changed'))
  // So also one that is closed from the beginning.
  const closed = new PassThrough()
  closed.end()
  await assert.rejects(askAboutShop({ currency: 'EUR' }, terminalOf(closed)), OperatorError)
})

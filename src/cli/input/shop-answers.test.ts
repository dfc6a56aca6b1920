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

test('an invalid answer names what is unknown in it, and the nearest name', async () => {
  const cases = [
    [{ countries: 'USA,Cannada' }, 'like Germany,GB; unknown: "Cannada" (did you mean Canada?)'],
    [{ countries: 'Germani,Atlantis,IN' }, 'like Germany,GB; unknown: "Germani" (did you mean Germany?), "Atlantis"'],
    [{ countries: 'Deutchland' }, '; unknown: "Deutchland" (did you mean Deutschland?)'],
    [{ countries: 'India,,' }, 'like Germany,GB; unknown: ""'],
    [{ timeZone: 'Europe/Londn' }, 'expected a time zone like Europe/Berlin; did you mean Europe/London?'],
    [{ timeZone: 'Eastern Time (US & Canada)' }, '; did you mean America/New_York?'],
    [{ timeZone: 'new york' }, '; did you mean America/New_York?'],
    [{ timeZone: 'Middle-earth' }, 'expected a time zone like Europe/Berlin'],
  ] as const
  for (const [options, end] of cases)
    await assert.rejects(askAboutShop(options), (error: Error) => error.message.endsWith(end), end)
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

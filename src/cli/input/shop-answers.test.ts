import assert from 'node:assert/strict'
import { createInterface } from 'node:readline/promises'
import { PassThrough } from 'node:stream'
import test from 'node:test'
import { OperatorError } from '../../errors.ts'
import { askAboutShop, readShopOptions, SHOP_QUESTIONS } from './shop-answers.ts'

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

test('an invalid answer names what is unknown in it, and the nearest name', () => {
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
    assert.throws(
      () => readShopOptions(options),
      (error: Error) => error.message.endsWith(end),
      end,
    )
})

test('a terminal that is closed before the last answer ends the questions with a sentence', async () => {
  const input = new PassThrough()
  const asked = askAboutShop({}, {}, terminalOf(input))
  input.write('GBP\n')
  setImmediate(() => input.end())
  await assert.rejects(asked, new OperatorError('the questions were not all answered: nothing was changed'))
  // So also one that is closed from the beginning.
  const closed = new PassThrough()
  closed.end()
  await assert.rejects(askAboutShop({ currency: 'EUR' }, {}, terminalOf(closed)), OperatorError)
})

test('Enter takes the default that is named, such as what is stored, and what is answered already is not asked', async () => {
  const input = new PassThrough()
  const output = new PassThrough({ encoding: 'utf8' })
  const given = readShopOptions({
    ...{ decimals: '0', countries: 'GB', timeZone: 'Europe/London', points: '1', every: '2' },
  })
  const asked = askAboutShop(given, { currency: 'USD' }, createInterface({ input, output }))
  input.write('\n')
  setImmediate(() => input.write('B:0\n'))
  assert.deepEqual(await asked, {
    ...{ currency: 'USD', decimals: 0, countries: ['GB'], timeZone: 'Europe/London', points: 1, every: 2 },
    levels: [{ name: 'B', from: 0 }],
  })
  assert.match(String(output.read()), /^Which currency .* \[USD\] Which levels /)
})

import assert from 'node:assert/strict'
import test from 'node:test'
import { commaNumber, compileFormula, type Formula, pointNumber, reduction, signedAmountOf } from './formula.ts'

const row = {
  'First Name': 'Änne',
  Last: 'Groß',
  Zip: '01067',
  Empty: ' ',
  Double: 'a  b',
  Price: '2.50',
  Qty: '3',
  Lines: [1],
}
const computed = (formula: Formula, toNumber = pointNumber) => compileFormula(formula, toNumber, '--map').read(row)

test('a formula joins columns and texts, and falls back to the next alternative if one is empty', () => {
  const expected: Record<string, unknown> = {
    Zip: '01067',
    Lines: [1],
    '"First Name"+" "+"Last"': 'Änne Groß',
    // As a shell passes it on, without the quotes.
    'First Name+ +Last': 'Änne Groß',
    'First Name + " " + Last': 'Änne Groß',
    'Last+, +First Name': 'Groß, Änne',
    "'DE-'+Zip": 'DE-01067',
    "'DE-'+Empty": '',
    // Neither two blanks nor one at the end.
    'First Name+" "+Empty+" "+Last': 'Änne Groß',
    'Double+Zip': 'a  b01067',
    '"First Name"+" "+Empty': 'Änne',
    'Empty|None|Zip': '01067',
    "Empty|'x | y + z'": 'x | y + z',
    "''": '',
    "None|''": '',
    None: undefined,
  }
  for (const [formula, value] of Object.entries(expected)) assert.deepEqual(computed(formula), value, formula)
})

test('a formula that cannot be read is refused with the position of the fault', () => {
  for (const formula of ['', 'Zip+', '|Zip', 'Zip++Last'])
    assert.throws(() => computed(formula), /^Error: --map: expected a column or a quoted string on both sides/, formula)
})

test('presets compute with exact numbers, and map words to values', () => {
  assert.equal(computed({ product: ['Price', 'Qty'] }), '7.5')
  assert.equal(computed({ sum: ['Price', 'Qty', 'Empty'] }), '5.5')
  assert.equal(computed({ sum: ['Price'], less: ['Qty'] }), '-0.5')
  assert.equal(computed({ sum: ['Empty', 'None'] }), undefined)
  assert.equal(computed({ product: ['Price', 'None'] }), undefined)
  assert.throws(
    () => computed({ sum: ['Last'] }),
    /expected a non-negative number with at most 4 decimal places, got "Groß"/,
  )
  assert.equal(computed({ word: 'Last', means: { Groß: 'large' } }), 'large')
  assert.equal(computed({ word: 'Zip', means: { toString: 'x' } }), '01067')
  assert.equal(
    computed([
      { ifFilled: 'Empty', text: 'a' },
      { ifFilled: 'Zip', text: 'b' },
    ]),
    'b',
  )
  assert.equal(computed({ lowercase: 'Last' }), 'groß')
})

test('a number with a decimal comma is read exactly, and one with a point is refused rather than guessed', () => {
  const expected = {
    '12,50': '12.50',
    '1.234,5': '1234.5',
    '1.234': '1234',
    ' 7 ': '7',
    '0,0001': '0.0001',
    '-50': '-50',
  }
  for (const [written, value] of Object.entries(expected)) assert.equal(commaNumber(written), value, written)
  for (const written of ['12.50', '1.23,4', '12,', ',5', 'zwölf', '--3,5'])
    assert.throws(
      () => commaNumber(written),
      /^Error: expected a number with a decimal comma like 12,50, got /,
      written,
    )
  assert.deepEqual([commaNumber(''), commaNumber(3.5)], ['', 3.5])
})

test('a number may carry a currency sign and thousands separators; a point marks its decimals', () => {
  for (const [written, read] of [
    ['$1,234.50', '1234.50'],
    ['-$5.00', '-5.00'],
    ['($19.95)', '-19.95'],
    [' (1,234.50) ', '-1234.50'],
    [' 12 € ', '12'],
    ['$(19.95)', '-19.95'],
    ['-$19.95', '-19.95'],
    ['$-19.95', '-19.95'],
    ['- 19.95', '-19.95'],
    ['(19.95) USD', '-19.95'],
    ['(19.95 $)', '-19.95'],
    ['US$ 3', '3'],
    ['US$\u00a03', '3'],
    ['30.33 USD', '30.33'],
    ['CHF-5', '-5'],
    ['₹ 1,00,000.50', '100000.50'],
    ['₹12,34,567', '1234567'],
    ['($0.00)', '0.00'],
    ['-0', '0'],
  ] as const)
    assert.equal(pointNumber(written), read, written)
  for (const refused of [
    ...['1,5', '1,00', '1,00,00', '1,0,000', '12,345,6', '1,234.', '.5', 'auf Anfrage'],
    ...['(-5)', '($-5)', '--5', '-(5)', '(5', '5)', '()', '5-', '10%', '10 %'],
    ...['$5 USD', '$$5', '5 XYZ', 'usd 5', 'Rs. 5', 'ABC$5', '$'],
  ])
    assert.equal(pointNumber(refused), refused)
  for (const [written, read] of [
    ['1.234,50 €', '1234.50'],
    ['$(19,95)', '-19.95'],
    ['30,33 EUR', '30.33'],
    ['EUR 1.234,50', '1234.50'],
    ['€-2', '-2'],
    ['(0,00 €)', '0.00'],
  ] as const)
    assert.equal(commaNumber(written), read, written)
  assert.throws(() => commaNumber('₹ 1,00,000'), /expected a number with a decimal comma like 12,50/)
  assert.deepEqual(
    ['1.234,50 €', '-0,1', '-€ 2', ' ', '(€ 2,50)'].map((cell) => signedAmountOf(cell, commaNumber)),
    [12_345_000n, -1_000n, -20_000n, undefined, -25_000n],
  )
  assert.throws(
    () => signedAmountOf('0,00001', commaNumber),
    /expected a number with at most 4 decimal places, got "0,00001"/,
  )
  assert.equal(commaNumber('-0,25€'), '-0.25')
})

test('a discount is read as what it takes off, with a minus, in brackets or with neither', () => {
  assert.deepEqual(
    ['($1.50)', '-$1.50', '1.50', '0'].map((cell) => reduction(pointNumber(cell))),
    ['1.50', '1.50', '1.50', '0'],
  )
  assert.deepEqual([reduction(undefined), reduction(pointNumber('10%'))], [undefined, '10%'])
})

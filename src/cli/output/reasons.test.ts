import assert from 'node:assert/strict'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createReasons } from './reasons.ts'

test('faults that differ only in value or place count as one reason, with the first as its example', () => {
  const reasons = createReasons()
  reasons.add(4, { field: 'Gender', error: 'expected male or female, got "a, got "b""' })
  reasons.add(9, { field: 'Gender', error: 'expected male or female, got 7' })
  reasons.add(5, { field: 'products[3].qty', error: 'expected a number, got an object' })
  reasons.add(6, { field: 'products[0].qty', error: 'expected a number, got "x"' })
  reasons.add(7, { field: 'products[1].qty', error: 'expected a number, got "x"' })
  reasons.add(8, { error: 'expected as many cells as in the first line' })
  reasons.add(8, { field: 'total_amount', error: 'expected no decimals, got "1.5" (a setting allows more)' })
  reasons.add(8, { field: 'order_id', error: 'order "o-1" is that of player "u\u001b[2J"' })
  reasons.add(2, { field: 'user_id', error: 'player u-1 not found: send players first' }, 'u-1')
  reasons.add(3, { field: 'user_id', error: 'player u-2 not found: send players first' }, 'u-2')
  reasons.add(3, { field: 'DOB', error: 'DOB is required' })
  assert.deepEqual(reasons.text().split('\n'), [
    '  3 x products[].qty: expected a number (line 5: an object)',
    '  2 x Gender: expected male or female (line 4: "a, got "b"")',
    '  2 x user_id: player ... not found: send players first (line 2: "u-1")',
    '  1 x expected as many cells as in the first line (line 8)',
    '  1 x total_amount: expected no decimals (a setting allows more) (line 8: "1.5")',
    '  1 x order_id: order "..." (line 8)',
    '  1 x DOB: DOB is required (line 3)',
    '',
  ])
})

test('a reason names the first record in the file, in whatever sequence records are sent', () => {
  const reasons = createReasons()
  for (const line of [9, 4, 7]) reasons.add(line, { field: 'Gender', error: `expected male or female, got "${line}"` })
  assert.equal(reasons.text(), '  3 x Gender: expected male or female (line 4: "4")\n')
  assert.deepEqual(
    reasons.list().map(({ line }) => line),
    [4],
  )
})

test('values that an option of the command would read are reported with that option', () => {
  const hintsFor = (field: string, error: string) => {
    const reasons = createReasons()
    reasons.add(2, { field, error })
    return reasons.hints().map((hint) => hint.split(' ').slice(0, 2).join(' '))
  }
  const number = 'expected a number between 0 and 9007199254740991 with at most 4 decimal places'
  const cases: [field: string, error: string, hints: string[]][] = [
    ['total_amount', `${number}, got "1.234,50"`, ['--decimal comma']],
    ['total_amount', `${number}, got "129,90 EUR"`, ['--decimal comma']],
    ['total_amount', `${number}, got "-31"`, ['each return']],
    ['products[0].qty', `${number}, got "-1"`, ['--leave-out products,']],
    ['products[0].amount', `${number}, got "-12,50"`, ['--decimal comma', '--leave-out products,']],
    ['total_amount', `${number}, got "$5 USD"`, ['amounts with']],
    ['products[0].amount', `${number}, got "(-19.95)"`, ['amounts with']],
    ['discount', `${number}, got "$-5 -"`, ['amounts with']],
    ['discount', `${number}, got "10 %"`, ['another column']],
    ['total_amount', `${number}, got "on request, by phone"`, []],
    ['ordered_at', 'expected a timestamp like 2026-01-31T12:00:00Z, got "05.03.2026 14:30"', ['--date-format with']],
    ['DOB', 'expected a date DD-MM-YYYY, got "31/12/1980"', ['--date-format with']],
    ['DOB', 'expected a date DD-MM-YYYY, got ""', []],
    ['DOB', 'expected a date D.M.YYYY, got "1990-07-01"', []],
    ['Country', 'expected a non-blank string, got ""', ['--default Country=...']],
    ['Country', 'Country is required', ['--default Country=...']],
    ['Country', 'expected a non-blank string, got " "', []],
    ['discount', `${number}, got ""`, ['--default discount=0,']],
    ['user_id', 'expected a non-empty identifier, got ""', ['--ignore-without user_id,']],
    ['User_id', 'expected a non-empty identifier, got ""', ['--ignore-without User_id,']],
    ['User_id', 'User_id is required', ['--ignore-without User_id,']],
    // Of an earlier release.
    ['User_id', 'User_id is required, got nothing', ['--ignore-without User_id,']],
    ['Gender', 'expected female or male, got "M"', ['--values Gender=WORD:female,WORD:male']],
    ['Gender', 'expected female or male, got "other"', []],
    ['status', 'expected placed or cancelled or returned, got "bezahlt"', ['--values status=WORD:placed']],
  ]
  for (const [field, error, hints] of cases) assert.deepEqual(hintsFor(field, error), hints, error)
})

test('the option that helps most records is named first, and none for what no option helps as the record has another fault', () => {
  const reasons = createReasons()
  const country = { field: 'Country', error: 'Country is required' }
  reasons.add(2, { field: 'Gender', error: 'expected female or male, got "M"' })
  for (const line of [3, 4]) reasons.add(line, country)
  for (const line of [5, 6, 7]) {
    reasons.add(line, { field: 'User_id', error: 'User_id is required' })
    reasons.add(line, country, undefined, false)
    reasons.add(line, { field: 'DOB', error: 'expected a date DD-MM-YYYY, got "1990-07-01"' }, '1990-07-01', false)
  }
  assert.deepEqual(
    reasons.hints().map((hint) => hint.split(' ').slice(0, 2).join(' ')),
    ['--ignore-without User_id,', '--default Country=...', '--values Gender=WORD:female,WORD:male'],
  )
  assert.match(reasons.text(), /^ {2}5 x Country: Country is required \(line 3\)$/m)
})

test('shares where amounts are wanted are reported with their column and what to do', () => {
  const hintsFor = (field: string, error: string) => {
    const reasons = createReasons()
    reasons.add(2, { field, error })
    return reasons.hints({ columnsOf: (name) => (name === 'products.amount' ? ['VAT', 'Share'] : ['Discount %']) })
  }
  assert.deepEqual(hintsFor('discount', 'expected a number with a decimal comma like 12,50, got "10%"'), [
    'another column for discount than "Discount %", which has shares such as "10%": --map discount=... with one that has amounts, or instead --default discount=0 if total_amount is what was paid',
  ])
  assert.deepEqual(hintsFor('products[3].amount', 'expected a number with at most 4 decimal places, got "7.5 %"'), [
    'another column for products.amount than "VAT" or "Share", which has shares such as "7.5 %": --map products.amount=... with one that has amounts',
  ])
})

test('the date format that is proposed is that of the value, and none is once one was given', () => {
  const proposed = (value: string, sentence = 'a date DD-MM-YYYY', given?: string) => {
    const reasons = createReasons()
    reasons.add(2, { field: 'DOB', error: `expected ${sentence}, got "${value}"` })
    return reasons.hints({ dateFormat: given }).map((hint) => hint.split(' ').at(-1))
  }
  for (const [value, format] of [
    ['11-4-1970', 'D-M-YYYY'],
    ['31/12/1980', 'DD/MM/YYYY'],
    ['12/31/1980', 'MM/DD/YYYY'],
    ['1990-07-01', 'YYYY-MM-DD'],
  ] as const)
    assert.deepEqual(proposed(value), [format])
  assert.deepEqual(proposed('31-02-2026', 'a date DD-MM-YYYY that exists'), [])
  const changedPlaces = (format: string) => {
    const reasons = createReasons()
    reasons.add(2, { field: 'DOB', error: `expected a date ${format} with a month up to 12, got "..."` })
    return reasons.hints({ dateFormat: format })[0]!.split(':')[0]
  }
  assert.equal(changedPlaces('DD/MM/YYYY'), '--date-format MM/DD/YYYY')
  assert.equal(changedPlaces('M-D-YYYY'), '--date-format D-M-YYYY')
  assert.equal(changedPlaces('YYYY-MM-DD'), '--date-format YYYY-DD-MM')
  assert.deepEqual(proposed('1990-07-01', 'a date DD-MM-YYYY', 'DD-MM-YYYY'), [])
})

/** In bytes, without what nothing refers to any more. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

test('ten reasons are shown, and the number kept in memory is bounded', () => {
  const reasons = createReasons()
  const before = heapInUse()
  for (let line = 1; line <= 50_000; line += 1) reasons.add(line, { field: `field-${line}`, error: 'wrong' })
  assert(heapInUse() - before < 5_000_000)
  const lines = reasons.text().trimEnd().split('\n')
  assert.deepEqual([lines.length, lines.at(-1)], [11, '  and 49990 of other reasons'])
})

import assert from 'node:assert/strict'
import test from 'node:test'
import { Check } from 'typebox/value'
import * as fields from './fields.ts'
import { dateOfBirth, smallWhole, stateVersion, timestamp } from './fields.ts'
import { type Field, InvalidValue } from './record.ts'

/** What a field reads each value as; `refused` if it is invalid. */
function readAll<T>(field: Field<T>, values: readonly unknown[]): (T | 'refused')[] {
  return values.map((value) => {
    try {
      return field.read(value)
    } catch (error) {
      assert(error instanceof InvalidValue, String(error))
      return 'refused'
    }
  })
}

const REFUSED = 'refused' as const

test('a date of birth must be DD-MM-YYYY, exist, and lie between 1900 and today (decision 50)', () => {
  const field = dateOfBirth(new Date('2026-06-01T12:00:00Z'))
  const good = ['01-01-1900', '31-12-1999', '29-02-2000', '29-02-1904', '01-06-2026']
  assert.deepEqual(readAll(field, good), ['1900-01-01', '1999-12-31', '2000-02-29', '1904-02-29', '2026-06-01'])
  const bad = [
    '31-12-1899',
    '02-06-2026',
    '29-02-1900',
    '29-02-1901',
    '31-09-1990',
    '31-04-1990',
    '31-06-1990',
    '31-11-1990',
  ]
  const malformed = [
    '00-01-1990',
    '32-01-1990',
    '01-00-1990',
    '01-13-1990',
    '1-1-1990',
    '101-01-1990',
    '01-01-19901',
    1990,
  ]
  for (const one of [...bad, ...malformed]) assert.deepEqual(readAll(field, [one]), [REFUSED], String(one))
})

test('a moment is RFC 3339 from the year 1900 on, read as UTC (decision 30)', () => {
  const good = ['2026-09-30T23:59:59Z', '2026-01-31t12:00:00.5z', '2026-01-31T12:00:00+05:30', '1900-01-01T00:00:00Z']
  assert.deepEqual(readAll(timestamp, good), [
    '2026-09-30T23:59:59.000Z',
    '2026-01-31T12:00:00.500Z',
    '2026-01-31T06:30:00.000Z',
    '1900-01-01T00:00:00.000Z',
  ])
  const bad = [
    '1899-12-31T23:59:59Z',
    '2026-00-10T00:00:00Z',
    '2026-09-31T00:00:00Z',
    '2026-01-31',
    '2026-01-31T12:00:00',
    0,
  ]
  assert.deepEqual(
    readAll(timestamp, bad),
    bad.map(() => REFUSED),
  )
})

test('the version of a state is a whole number up to 2^53-1, bare or in quotes (decision 71)', () => {
  const good = [0, '0', 7, '007', 2 ** 53 - 1, '9007199254740991']
  assert.deepEqual(readAll(stateVersion, good), [0, 0, 7, 7, 2 ** 53 - 1, 2 ** 53 - 1])
  const bad = [-1, 1.5, 2 ** 53, '9007199254740992', '-1', '1.0', '', ' 1', true, null]
  assert.deepEqual(
    readAll(stateVersion, bad),
    bad.map(() => REFUSED),
  )
  for (const value of good) assert(Check(stateVersion.schema, value), String(value))
  for (const value of [-1, 1.5, '-1', '', 'x', true]) assert(!Check(stateVersion.schema, value), String(value))
})

test('what a column of 4 bytes holds is a whole number up to 2^31-1, bare or in quotes, and its schema allows no other', () => {
  const good = [0, '0', 7, '007', 2 ** 31 - 1, '2147483647', '0002147483647']
  assert.deepEqual(readAll(smallWhole, good), [0, 0, 7, 7, 2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1])
  const bad = [-1, 1.5, 2 ** 31, '2147483648', '9'.repeat(20), 1e300, '-1', '1.0', '', ' 1', true, null]
  assert.deepEqual(
    readAll(smallWhole, bad),
    bad.map(() => REFUSED),
  )
  for (const value of good) assert(Check(smallWhole.schema, value), String(value))
  for (const value of bad) assert(!Check(smallWhole.schema, value), String(value))
})

/** Accepted values with what they are read as, and refused values with what was expected. The schema must agree with both. */
type Promised = Readonly<{
  field: Field<unknown>
  good: readonly (readonly [value: unknown, read: unknown])[]
  bad: readonly (readonly [value: unknown, expected: string])[]
  /** Also refused, although JSON Schema cannot express it. */
  beyondSchema?: readonly (readonly [value: unknown, expected: string])[]
  /** Also accepted, although validators that use floating point may refuse it. */
  takenBeyondSchema?: readonly (readonly [value: unknown, read: unknown])[]
}>

const same = (...values: unknown[]) => values.map((value) => [value, value] as const)
const each = (expected: string, ...values: unknown[]) => values.map((value) => [value, expected] as const)
const LONE = 'a\ud800'
const WHOLE = 'an integer between 0 and 9007199254740991'
const AMOUNT = 'a number between 0 and 9007199254740991 with at most 4 decimal places'
const DECIMAL = 'a non-negative number with at most 15 digits and 4 decimal places'
const SIGNED = 'an integer between -9007199254740991 and 9007199254740991'
const INEXACT = 'numbers this large lose precision: send it as a string'
const PHONE = '1 to 15 digits with an optional leading +'

const PROMISES: Readonly<Record<string, Promised>> = {
  'any text': {
    field: fields.text,
    good: same('', ' ', 'a\\b', '\u0007', 'é'.repeat(500), '👍'.repeat(500)),
    bad: [
      ...each('a string of at most 500 characters', 'a'.repeat(501), '👍'.repeat(501), 'a'.repeat(1_001)),
      ...each('a string without NUL or lone surrogates', 'a\0'),
      ...each('a string', 5, null, undefined, ['a']),
    ],
    beyondSchema: each('a string without NUL or lone surrogates', LONE),
  },
  'a non-empty string': {
    field: fields.nonEmptyText,
    good: same(' ', 'a', 'a'.repeat(500)),
    bad: [
      ...each('a non-empty string, got', '', 5),
      ...each('a non-empty string of at most 500 characters', 'a'.repeat(501)),
    ],
  },
  'a non-blank string': {
    field: fields.nonBlankText,
    good: same('a', ' a ', 'a b'),
    bad: [
      ...each('a non-blank string, got', '', ' ', '\t \n', 5),
      ...each('a non-blank string of at most 500 characters', 'a'.repeat(501)),
    ],
  },
  'a postcode': {
    field: fields.postcode,
    good: [...same('SW1A 1AA', '00501', 'a'.repeat(500)), [682001, '682001'], [0, '0']],
    bad: [...each('a non-blank string', '', ' ', null), ...each('a string or a non-negative integer', -1, 1.5)],
    beyondSchema: each('a string without control characters or backslashes', 'a\\b', 'a\tb', 'a\u0085b'),
  },
  'an identifier': {
    field: fields.key,
    good: same('a', ' ', ' a ', 'é'.repeat(200), '\u00a0'),
    bad: [
      ...each('a non-empty identifier', ''),
      ...each('an identifier of at most 200 characters', 'a'.repeat(201)),
      ...each('an identifier without control characters', 'a\n', '\u001f', '\u007f', '\u009f'),
      ...each('an identifier, got', 5, null),
    ],
  },
  'a non-blank identifier': {
    field: fields.nonBlankKey,
    good: same('a', ' a '),
    bad: [
      ...each('a non-blank string', ' ', '   '),
      ...each('a non-empty identifier', ''),
      ...each('an identifier without control characters', 'a\n'),
    ],
  },
  'an e-mail address': {
    field: fields.email,
    good: same('a@b.c', "o'neil+x@mail.example.com", `${'a'.repeat(248)}@b.com`),
    bad: [
      ...each('an e-mail address like name@example.com', '', 'a', 'a@b', 'a@@b.c', 'a b@c.d', ' a@b.c', 'a@b.c '),
      ...each('an e-mail address of at most 254 characters', `${'a'.repeat(249)}@b.com`),
      ...each('an e-mail address, got', 5),
    ],
  },
  'an e-mail address, or empty': {
    field: fields.emailOrEmpty,
    good: same('', 'a@b.c'),
    bad: [
      ...each('an e-mail address like name@example.com', ' ', 'a@b'),
      ...each('an e-mail address of at most 254 characters', `${'a'.repeat(249)}@b.com`),
    ],
  },
  digits: {
    field: fields.digits,
    good: [...same('0', '00123', '1'.repeat(15)), [123, '123'], [999_999_999_999_999, '999999999999999']],
    bad: each('1 to 15 digits, got', '', '1'.repeat(16), '+1', '1 2', 'x1', '1x', -1, 1.5, 1e15, null, ['1']),
  },
  'a phone number': {
    field: fields.phone,
    good: [...same('', '0', '+491701234567', '1'.repeat(15), `+${'1'.repeat(15)}`), [98765, '98765']],
    bad: each(`${PHONE}, got`, '+', '++1', '1+', '1'.repeat(16), ' 1', '0170/1', -1, 1.5, null),
  },
  'a phone number as people write it': {
    field: fields.lenientPhone,
    good: [
      ...same('', '0'),
      ['+49 (170) 123-45.67', '+491701234567'],

      ['  -', ''],
      [98765, '98765'],
    ],
    bad: [
      ...each(PHONE, -1, 1.5, null),
      ...each(`${PHONE}, ignoring blanks, dots, brackets and hyphens`, '1'.repeat(501)),
    ],
    beyondSchema: each(`${PHONE}, ignoring blanks, dots, brackets and hyphens`, '0170/1', 'none', '1'.repeat(16)),
  },
  'any text, or a whole number': {
    field: fields.phoneText,
    good: [...same('', 'none'), [0, '0'], [98765, '98765'], [2 ** 53 - 1, '9007199254740991']],
    bad: [...each('a string or a non-negative integer', -1, 1.5, 2 ** 53), ...each('a string, got', null, true)],
  },
  'true or false': {
    field: fields.boolean,
    good: [...same(true, false), ['true', true], ['false', false]],
    bad: each('true or false', 'True', 'yes', '', 0, 1, null),
  },
  'one of a few words': {
    field: fields.oneOf(['placed', 'cancelled']),
    good: same('placed', 'cancelled'),
    bad: each('placed or cancelled', 'Placed', '', null, ['placed']),
  },
  'a date, or empty': {
    field: fields.orEmpty(dateOfBirth(new Date('2026-06-01T12:00:00Z')), null),
    good: [
      ['', null],
      ['31-01-1990', '1990-01-31'],
    ],
    bad: [
      ...each('a date DD-MM-YYYY', ' ', '1990-01-31', null),
      ...each('a date that exists, DD-MM-YYYY', '31-02-1990'),
    ],
  },
  'a date in either form': {
    field: dateOfBirth(new Date('2026-06-01T12:00:00Z'), ['DD-MM-YYYY', 'YYYY-MM-DD']),
    good: [
      ['31-01-1990', '1990-01-31'],
      ['1990-01-31', '1990-01-31'],
    ],
    bad: each('a date DD-MM-YYYY or YYYY-MM-DD', '1990-1-31', 'x1990-01-31', '1990-01-31x', '1990/01/31', 19900131),
    beyondSchema: [
      ...each('a date that exists, DD-MM-YYYY or YYYY-MM-DD', '1990-02-31'),
      ...each('a date from 01-01-1900 to today', '1899-12-31', '2026-06-02'),
    ],
  },
  'a price or quantity': {
    field: fields.decimal,
    good: [
      [0, 0n],
      ['0', 0n],
      [1.5, 15_000n],
      ['1.0001', 10_001n],
      ['007.5', 75_000n],
      ['999999999999999.9999', 9_999_999_999_999_999_999n],
    ],
    bad: [
      ...each(`${DECIMAL}, got`, '', '1.00001', '-1', '1,5', '1.', '.5', '1e3', ' 1', '1'.repeat(16), 0.00001),
      ...each('a non-negative number with at most 4 decimal places, got', -1, null, true, ['1']),
      ...each(INEXACT, 999_999_999_999.9999, 2 ** 53),
    ],
    takenBeyondSchema: [
      [99_999_999_999.9999, 999_999_999_999_999n],
      [999_999_999_999_999, 9_999_999_999_999_990_000n],
    ],
  },
  'an amount as it was written': {
    field: fields.decimalAmount,
    good: [
      ['12.50', { amount: 125_000n, decimals: 2 }],
      [12.5, { amount: 125_000n, decimals: 1 }],
      ['0012', { amount: 120_000n, decimals: 0 }],
      ['00.0100', { amount: 100n, decimals: 4 }],
      [999_999_999_999_999, { amount: 9_999_999_999_999_990_000n, decimals: 0 }],
      ['9007199254740991', { amount: 90_071_992_547_409_910_000n, decimals: 0 }],
      ['9007199254740990.9999', { amount: 90_071_992_547_409_909_999n, decimals: 4 }],
    ],
    bad: [
      ...each(`${AMOUNT}, got`, '9007199254740992', '9007199254740991.0001', '-1', -1, '', '1.00001', null),
      ...each(INEXACT, 2 ** 53),
    ],
  },
  'a whole amount': {
    field: fields.wholeAmount,
    good: [
      ['0', 0n],
      ['007', 70_000n],
      [5, 50_000n],
      ['9007199254740991', 90_071_992_547_409_910_000n],
    ],
    bad: each(WHOLE, '1.5', '1.0', 1.5, -1, '-1', '', '9007199254740992', null),
  },
  points: {
    field: fields.wholePoints,
    good: [
      [0, 0n],
      ['7', 7n],
      [2 ** 53 - 1, 9_007_199_254_740_991n],
    ],
    bad: each(WHOLE, -1, 1.5, '-1', '', null),
  },
  'points up or down': {
    field: fields.signedWhole,
    good: [
      [0, 0n],
      [-5, -5n],
      ['-005', -5n],
      ['9007199254740991', 9_007_199_254_740_991n],
      ['-9007199254740991', -9_007_199_254_740_991n],
      [-(2 ** 53 - 1), -9_007_199_254_740_991n],
      [`${'0'.repeat(30)}7`, 7n],
    ],
    bad: each(
      SIGNED,
      1.5,
      '1.5',
      '',
      '-',
      '+1',
      '9007199254740992',
      '-9007199254740992',
      2 ** 53,
      '1'.repeat(17),
      null,
    ),
  },
  'a day of the calendar': {
    field: fields.calendarDay,
    good: same('2000-01-01', '2024-02-29', '2999-12-31'),
    bad: each(
      'a date like 2026-12-31, from 2000 to 2999',
      '2026-02-29',
      '26-12-31',
      '2026-12-31T00:00:00Z',
      '',
      20261231,
    ),
    beyondSchema: each('a date like 2026-12-31, from 2000 to 2999', '1999-12-31', '3000-01-01'),
  },
}

for (const [kind, { field, good, bad, beyondSchema = [], takenBeyondSchema = [] }] of Object.entries(PROMISES)) {
  test(`${kind}: what is taken, and what is expected of the rest, by the reader and the schema alike`, () => {
    for (const [value, read] of [...good, ...takenBeyondSchema])
      assert.deepEqual(field.read(value), read, String(value))
    for (const [value, expected] of [...bad, ...beyondSchema])
      assert.throws(
        () => field.read(value),
        (error) => error instanceof InvalidValue && error.message.includes(expected),
        `${value}: ${expected}`,
      )
    for (const [value] of good) assert(Check(field.schema, value), String(value))
    for (const [value] of bad) assert(!Check(field.schema, value), String(value))
    for (const [value] of beyondSchema) assert(Check(field.schema, value), `${value}: the schema can say it now`)
  })
}

import assert from 'node:assert/strict'
import test from 'node:test'
import { Check } from 'typebox/value'
import { dateOfBirth, moment, stateVersion } from './fields.ts'
import { type Field, Misfit } from './record.ts'

/** What a field reads each value as; `refused` where it does not fit. */
function readAll<T>(field: Field<T>, values: readonly unknown[]): (T | 'refused')[] {
  return values.map((value) => {
    try {
      return field.read(value)
    } catch (error) {
      assert(error instanceof Misfit, String(error))
      return 'refused'
    }
  })
}

const REFUSED = 'refused' as const

test('a date of birth is DD-MM-YYYY, exists, and lies between 1900 and today (decision 53)', () => {
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

test('a moment is RFC 3339 from the year 1900 on, read as UTC (decision 33)', () => {
  const good = ['2026-09-30T23:59:59Z', '2026-01-31t12:00:00.5z', '2026-01-31T12:00:00+05:30', '1900-01-01T00:00:00Z']
  assert.deepEqual(readAll(moment, good), [
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
    readAll(moment, bad),
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

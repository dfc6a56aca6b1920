import assert from 'node:assert/strict'
import test from 'node:test'
import { dateReader } from './date-format.ts'

test('a date is read by its format, and in no other way', () => {
  const cases = [
    ['DD/MM/YYYY', '05/03/1975', '05-03-1975'],
    ['MM/DD/YYYY', '05/03/1975', '03-05-1975'],
    ['D.M.YYYY', '5.3.1975', '05-03-1975'],
    ['D.M.YYYY', '31.12.1980', '31-12-1980'],
    ['YYYYMMDD', '19750305', '05-03-1975'],
    ['YYYY-MM-DD', ' 1975-03-05 ', '05-03-1975'],
  ] as const
  for (const [format, written, date] of cases) assert.equal(dateReader(format, 'UTC').readDate(written), date)
  for (const written of ['5/3/1975', '05-03-1975', '05/03/75', '05/03/1975 10:00', '', 5])
    assert.throws(() => dateReader('DD/MM/YYYY', 'UTC').readDate(written), /^Error: expected a date DD\/MM\/YYYY, got /)
})

test('a date whose day and month may have changed places is refused with a sentence of its own, and with the value of the file', () => {
  const { readDate, readInstant } = dateReader('DD/MM/YYYY', 'UTC')
  for (const read of [readDate, readInstant]) {
    assert.throws(
      () => read('01/31/1990'),
      /^Error: expected a date DD\/MM\/YYYY with a month up to 12, got "01\/31\/1990"$/,
    )
    for (const written of ['31/31/1990', '31/02/1990', '00/01/1990', '01/00/1990'])
      assert.throws(() => read(written), /^Error: expected a date DD\/MM\/YYYY that exists, got "\d\d\/\d\d\/1990"$/)
  }
})

test('a moment is in its own zone, or else in that of the option; a day alone means its beginning', () => {
  const cases = [
    ['2026-03-29 18:05:00 +0100', 'UTC', '2026-03-29T17:05:00Z'],
    ['2026-03-29T18:05:00Z', 'Europe/Berlin', '2026-03-29T18:05:00Z'],
    ['2026-03-02 09:50', 'Europe/Berlin', '2026-03-02T08:50:00Z'],
    ['2026-07-02', 'Europe/Berlin', '2026-07-01T22:00:00Z'],
    ['2026-07-02 6:29:00', 'UTC', '2026-07-02T06:29:00Z'],
    // 02:30 does not exist on the first night, and exists twice on the second.
    ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
  ] as const
  for (const [written, zone, moment] of cases)
    assert.equal(dateReader('YYYY-MM-DD', zone).readInstant(written), moment, written)
  assert.throws(
    () => dateReader('YYYY-MM-DD', 'UTC').readInstant('2026-02-30'),
    /expected a date YYYY-MM-DD that exists/,
  )
})

test('a reader says in which zone it read moments that name none, once it has read one', () => {
  const { readInstant, assumedZone } = dateReader('YYYY-MM-DD', 'Europe/Berlin')
  readInstant('2026-03-29 18:05 +0100')
  assert.throws(() => readInstant('2026-02-30'))
  assert.equal(assumedZone(), undefined)
  readInstant('2026-03-29')
  assert.equal(assumedZone(), 'Europe/Berlin')
})

test('times before and after noon are read as tills and spreadsheets of English-speaking countries write them', () => {
  const { readInstant } = dateReader('M/D/YYYY', 'America/New_York')
  const cases = [
    ['1/15/2026 8:05 AM', '2026-01-15T13:05:00Z'],
    ['1/15/2026 8:05:09 pm', '2026-01-16T01:05:09Z'],
    ['1/15/2026, 8:05PM', '2026-01-16T01:05:00Z'],
    ['1/15/2026 12:00 a.m.', '2026-01-15T05:00:00Z'],
    ['1/15/2026 12:00 p.m.', '2026-01-15T17:00:00Z'],
    ['1/15/2026 8:05 PM -0800', '2026-01-16T04:05:00Z'],
  ] as const
  for (const [written, moment] of cases) assert.equal(readInstant(written), moment, written)
  for (const written of ['1/15/2026 13:05 PM', '1/15/2026 0:05 AM'])
    assert.throws(() => readInstant(written), /expected a date M\/D\/YYYY that exists/, written)
})

test('a format or zone that is unknown or ambiguous is refused', () => {
  assert.throws(() => dateReader('DD/MM/YY', 'UTC'), /two digits do not say which century, expected YYYY/)
  for (const format of ['DD/MM', 'DD/DD/YYYY', 'DDD/MM/YYYY', 'dd/mm/yyyy', 'MM/YYYY/MM', 'DD%MM%YYYY', ''])
    assert.throws(() => dateReader(format, 'UTC'), /expected DD or D, MM or M, and YYYY, like DD\/MM\/YYYY/, format)
  assert.throws(
    () => dateReader('DD/MM/YYYY', 'Berlin'),
    /^Error: --time-zone is "Berlin": expected a name like Europe\/Berlin, or UTC; did you mean Europe\/Berlin\?$/,
  )
})

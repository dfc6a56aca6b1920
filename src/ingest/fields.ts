/*
 * The kinds of fields: one unknown value in, one clean value out, or a `Misfit` that says what was expected.
 * Reader and schema stand side by side, so that the check and the API description cannot drift apart.
 */

import { AMOUNT_DIGITS, AMOUNT_SCALE, parseAmount, WHOLE_MAX } from '../points/arithmetic.ts'
import { Type } from '../points/json-schema.ts'
import type { Amount } from '../points/units.ts'
import {
  DAY,
  EMAIL_ADDRESS,
  NO_CONTROLS,
  NO_CONTROLS_NOT_BLANK,
  NO_NUL,
  NO_NUL_NOT_BLANK,
  wholePattern,
} from './patterns.ts'
import { type Field, Misfit } from './record.ts'

export const KEY_LENGTH_MAX = 200
export const TEXT_LENGTH_MAX = 500
const EMAIL_LENGTH_MAX = 254
/** Of a number in JSON that is read exactly everywhere. */
const SIGNIFICANT_DIGITS_MAX = 15
/** The largest number of so many digits: larger ones are described in quotes only. */
const DIGITS_MAX = 999_999_999_999_999
const EMAIL = new RegExp(EMAIL_ADDRESS)

function characters(text: string): number {
  // Code points, as PostgreSQL counts; a text of half the limit in UTF-16 units cannot exceed it.
  let count = 0
  for (const _ of text) count += 1
  return count
}

function checkedText(value: unknown, expected: string, lengthMax: number): string {
  if (typeof value !== 'string') throw new Misfit(expected, value)
  if (value.length > lengthMax && (value.length > 2 * lengthMax || characters(value) > lengthMax)) {
    throw new Misfit(`${expected} of at most ${lengthMax} characters`, value)
  }
  if (value.includes('\0') || !value.isWellFormed())
    throw new Misfit(`${expected} without NUL and broken characters`, value)
  return value
}

/** Any text, empty too, up to 500 characters. NUL and lone surrogates are refused (decision 11). */
export const text: Field<string> = {
  schema: Type.String({ maxLength: TEXT_LENGTH_MAX, pattern: NO_NUL }),
  read: (value) => checkedText(value, 'a text', TEXT_LENGTH_MAX),
}

/** A text with at least one character. */
export const someText: Field<string> = {
  schema: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX, pattern: NO_NUL }),
  read: (value) => {
    const read = checkedText(value, 'a text that is not empty', TEXT_LENGTH_MAX)
    if (read === '') throw new Misfit('a text that is not empty', value)
    return read
  },
}

/** A text with more than blanks in it (decision 55). */
export const filledText: Field<string> = {
  schema: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX, pattern: NO_NUL_NOT_BLANK }),
  read: (value) => notBlank(checkedText(value, 'a text that is not blank', TEXT_LENGTH_MAX)),
}

/** A pincode with letters and blanks in it, or a whole number (decision 70). */
export const postcode: Field<string> = {
  schema: Type.Union([filledText.schema, Type.Integer({ minimum: 0 })]),
  read: (value) => {
    const read = typeof value === 'number' ? phoneText.read(value) : filledText.read(value)
    // It stands in a row as it is.
    if (/[\p{Cc}\\]/u.test(read)) throw new Misfit('a text without control characters and backslashes', value)
    return read
  },
}

/** An identifier: 1 to 200 characters, no control characters; nothing is trimmed (decision 11). */
export const key: Field<string> = {
  schema: Type.String({ minLength: 1, maxLength: KEY_LENGTH_MAX, pattern: NO_CONTROLS }),
  read: readKey,
}

/** An identifier that is not only blanks (decision 55). */
export const filledKey: Field<string> = {
  schema: Type.String({
    minLength: 1,
    maxLength: KEY_LENGTH_MAX,
    pattern: NO_CONTROLS_NOT_BLANK,
  }),
  read: (value) => notBlank(readKey(value)),
}

function readKey(value: unknown): string {
  const read = checkedText(value, 'an identifier', KEY_LENGTH_MAX)
  if (read === '') throw new Misfit('an identifier that is not empty', value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(read)) throw new Misfit('an identifier without control characters', value)
  return read
}

function notBlank(value: string): string {
  if (value.trim() === '') throw new Misfit('a text that is not blank', value)
  return value
}

/** An address with one `@`, a dot in the domain and no blanks, up to 254 characters (decision 23). */
export const email: Field<string> = {
  schema: Type.String({ maxLength: EMAIL_LENGTH_MAX, pattern: EMAIL_ADDRESS }),
  read: readEmail,
}

/** The same, or empty (decision 50). */
export const emailOrEmpty: Field<string> = {
  schema: Type.String({ maxLength: EMAIL_LENGTH_MAX, pattern: `^$|${EMAIL_ADDRESS}` }),
  read: (value) => (value === '' ? '' : readEmail(value)),
}

function readEmail(value: unknown): string {
  const read = checkedText(value, 'an e-mail address', EMAIL_LENGTH_MAX)
  if (!EMAIL.test(read)) throw new Misfit('an e-mail address like name@example.com', value)
  return read
}

/** 1 to 15 digits, as text or as a whole number; kept as text so that leading zeros survive (decision 52). */
export const digits: Field<string> = digitsField('1 to 15 digits', /^\d{1,15}$/)

/** A phone number: digits, a `+` may stand before them; empty is the same as absent (decisions 51 and 52). */
export const phone: Field<string> = digitsField('1 to 15 digits, a + may stand before them', /^(?:\+?\d{1,15})?$/)

/** The same as people write it: blanks, dots, brackets and hyphens are taken out (decision 70). */
export const lenientPhone: Field<string> = {
  schema: Type.Union([Type.String({ maxLength: TEXT_LENGTH_MAX }), Type.Integer({ minimum: 0 })], {
    description: '1 to 15 digits, a + may stand before them; blanks, dots, brackets and hyphens do not count',
  }),
  read: (value) => {
    if (typeof value !== 'string') return phone.read(value)
    const digits = value.length > TEXT_LENGTH_MAX ? value : withoutPhoneMarks(value)
    try {
      return phone.read(digits)
    } catch {
      throw new Misfit('1 to 15 digits, a + may stand before them, besides blanks, dots, brackets and hyphens', value)
    }
  },
}

/** A phone number without the blanks, dots, brackets and hyphens that people write in one. */
export function withoutPhoneMarks(text: string): string {
  return text.replace(/[\s.()[\]-]/g, '')
}

function digitsField(expected: string, pattern: RegExp): Field<string> {
  return {
    schema: Type.Union([Type.String({ pattern: pattern.source }), Type.Integer({ minimum: 0, maximum: DIGITS_MAX })], {
      description: expected,
    }),
    read: (value) => {
      const read = typeof value === 'number' ? String(value) : value
      if (typeof read !== 'string' || !pattern.test(read)) throw new Misfit(expected, value)
      return read
    },
  }
}

/** Any text, or a whole number: the phone of an order (decision 23). */
export const phoneText: Field<string> = {
  schema: Type.Union([text.schema, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
  read: (value) => {
    if (typeof value !== 'number') return text.read(value)
    if (!Number.isSafeInteger(value) || value < 0) throw new Misfit('a text or a whole number', value)
    return String(value)
  },
}

/** `true` or `false`, bare or in quotes (decision 9). */
export const boolean: Field<boolean> = {
  schema: Type.Union([Type.Boolean(), Type.Enum(['true', 'false'], { type: 'string' })]),
  read: (value) => {
    if (value === true || value === 'true') return true
    if (value === false || value === 'false') return false
    throw new Misfit('true or false', value)
  },
}

/** The same, or an empty text, which is the same as absence (decisions 51 and 70). */
export function orEmpty<T, Absent>({ schema, read }: Field<T>, absent: Absent): Field<T | Absent> {
  return {
    schema: Type.Union([schema, Type.Literal('')]),
    read: (value) => (value === '' ? absent : read(value)),
  }
}

/** One of a few words, exactly as written. */
export function oneOf<const Words extends readonly string[]>(words: Words): Field<Words[number]> {
  const expected = words.join(' or ')
  return {
    schema: Type.Enum([...words], { type: 'string' }),
    read: (value) => {
      if (typeof value !== 'string' || !words.includes(value)) throw new Misfit(expected, value)
      return value
    },
  }
}

const quotedWhole = Type.String({
  title: 'QuotedWhole',
  pattern: `^${wholePattern(WHOLE_MAX)}$`,
  description: 'a whole number from 0 to 9007199254740991 as a text',
})

// Of at most 15 digits in all, so that none is refused that the schema allows.
const bareDecimal = Type.Number({ minimum: 0, maximum: 99_999_999_999.9999, multipleOf: 0.0001 })

/** A price or quantity from 0, up to 15 digits and four decimals, bare or in quotes (decision 9). */
export const decimal: Field<Amount> = {
  schema: Type.Union([
    Type.String({
      title: 'QuotedDecimal',
      pattern: '^\\d{1,15}(\\.\\d{1,4})?$',
      description: 'a number from 0 with at most four decimals as a text',
    }),
    bareDecimal,
  ]),
  read: (value) => {
    const amount = parseAmount(numberText(value, 'a number from 0 with at most four decimals'))
    if (amount === undefined) throw new Misfit('a number from 0 with at most 15 digits and four decimals', value)
    return amount
  },
}

/** A number as it was written: its value, and how many digits stood after the point, zeros too. */
export type WrittenAmount = Readonly<{ amount: Amount; decimals: number }>

/** An amount from 0 to 2^53-1 with at most four decimals. How many an order may have is its program's matter (decisions 20 and 69). */
export const writtenAmount: Field<WrittenAmount> = {
  schema: Type.Union([
    Type.String({
      title: 'QuotedAmount',
      pattern: `^(?:${wholePattern(WHOLE_MAX - 1n)}(\\.\\d{1,${AMOUNT_DIGITS}})?|0*${WHOLE_MAX})$`,
      description: 'a number from 0 to 9007199254740991 with at most four decimals as a text',
    }),
    Type.Integer({ minimum: 0, maximum: DIGITS_MAX }),
    bareDecimal,
  ]),
  read: (value) => readWritten(value, `a number from 0 to ${WHOLE_MAX} with at most four decimals`),
}

/** A whole number from 0 to 2^53-1 as an amount of 1/10,000 (decision 20). */
export const wholeAmount: Field<Amount> = {
  schema: Type.Union([quotedWhole, Type.Integer({ minimum: 0, maximum: DIGITS_MAX })]),
  read: (value) => {
    const expected = `a whole number from 0 to ${WHOLE_MAX}`
    const { amount, decimals } = readWritten(value, expected)
    if (decimals > 0) throw new Misfit(expected, value)
    return amount
  },
}

function readWritten(value: unknown, expected: string): WrittenAmount {
  // Leading zeros are allowed without end (decision 9), so the length says nothing before they are gone.
  const read = numberText(value, expected).replace(/^0+(?=\d)/, '')
  const amount = parseAmount(read, 16)
  if (amount === undefined || amount > WHOLE_MAX * AMOUNT_SCALE) throw new Misfit(expected, value)
  const point = read.indexOf('.')
  return { amount, decimals: point < 0 ? 0 : read.length - point - 1 }
}

/** A whole number from 0 to 2^53-1, bare or in quotes: the version of a state (decision 71). */
export const stateVersion: Field<number> = {
  schema: Type.Union([quotedWhole, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
  read: (value) => {
    const isDigits = typeof value === 'string' && /^\d+$/.test(value)
    const read = isDigits ? Number(value) : value
    if (typeof read !== 'number' || !Number.isSafeInteger(read) || read < 0)
      throw new Misfit(`a whole number from 0 to ${WHOLE_MAX}`, value)
    return read
  },
}

/** So many points from 0, bare or in quotes. */
export const wholePoints: Field<bigint> = {
  schema: stateVersion.schema,
  read: (value) => BigInt(stateVersion.read(value)),
}

/** A whole number from -(2^53-1) to 2^53-1, bare or in quotes. */
export const signedWhole: Field<bigint> = {
  schema: Type.Union([
    Type.String({
      title: 'QuotedInteger',
      pattern: `^-?${wholePattern(WHOLE_MAX)}$`,
      description: 'a whole number from -9007199254740991 to 9007199254740991 as a text',
    }),
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ]),
  read: (value) => {
    const expected = `a whole number from -${WHOLE_MAX} to ${WHOLE_MAX}`
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
    // Leading zeros are allowed without end (decision 9), so the length is looked at without them.
    const digits = typeof text === 'string' ? /^-?0*(\d{1,16})$/.exec(text)?.[1] : undefined
    if (digits === undefined || BigInt(digits) > WHOLE_MAX) throw new Misfit(expected, value)
    return (text as string).startsWith('-') ? -BigInt(digits) : BigInt(digits)
  },
}

/** The digits of a number, bare or in quotes. A bare one that JSON may have changed on the way is refused (decision 9). */
function numberText(value: unknown, expected: string): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'number' || !(value >= 0)) throw new Misfit(expected, value)
  const written = String(value)
  // In so few characters there are few enough digits.
  if (written.length <= SIGNIFICANT_DIGITS_MAX) return written
  const significant = written.replace(/e.*$/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  if (value > Number.MAX_SAFE_INTEGER || significant.length > SIGNIFICANT_DIGITS_MAX) {
    throw new Misfit(`${expected}; a number of this size cannot be read exactly, send it as a string`, value)
  }
  return written
}

/** How a date may be written (decision 70). */
export type DateForm = 'DD-MM-YYYY' | 'YYYY-MM-DD'

/** A date that exists, from 01-01-1900 to the day of `now`, UTC (decision 53). Read as `YYYY-MM-DD`. */
export function dateOfBirth(now: Date, forms: readonly DateForm[] = ['DD-MM-YYYY']): Field<string> {
  const today = now.toISOString().slice(0, 10)
  const form = forms.join(' or ')
  const takesIso = forms.includes('YYYY-MM-DD')
  return {
    schema: Type.String({ pattern: takesIso ? `${DAY}|^\\d{4}-\\d{2}-\\d{2}$` : DAY }),
    read: (value) => {
      const date = isoOf(value, takesIso)
      if (date === undefined) throw new Misfit(`a date ${form}`, value)
      if (!exists(date)) throw new Misfit(`a date that exists, ${form}`, value)
      if (date < '1900-01-01' || date > today) throw new Misfit('a date from 01-01-1900 to today', value)
      return date
    },
  }
}

function isoOf(value: unknown, takesIso: boolean): string | undefined {
  if (typeof value !== 'string') return undefined
  const match = /^(\d{2})-(\d{2})-(\d{4})$/.exec(value)
  if (match !== null) return `${match[3]}-${match[2]}-${match[1]}`
  return takesIso && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined
}

/** An RFC 3339 moment from the year 1900 on, up to the millisecond; read as UTC text (decision 33). */
export const moment: Field<string> = {
  schema: Type.String({ format: 'date-time' }),
  read: (value) => {
    const pattern =
      /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
    const match = typeof value === 'string' && value.length <= 40 ? pattern.exec(value) : null
    if (match === null || !exists(match[1]!)) throw new Misfit('a moment like 2026-01-31T12:00:00Z', value)
    const read = new Date((value as string).toUpperCase()).toISOString()
    // The database's calendar has no year 0; a moment that early is a mistake anyway.
    if (read < '1900') throw new Misfit('a moment from the year 1900 on', value)
    return read
  },
}

/** A day of the calendar, YYYY-MM-DD, of this millennium. */
export const calendarDay: Field<string> = {
  schema: Type.String({ format: 'date' }),
  read: (value) => {
    if (typeof value !== 'string' || !/^2\d{3}-\d{2}-\d{2}$/.test(value) || !exists(value))
      throw new Misfit('a day like 2026-12-31, from 2000 to 2999', value)
    return value
  },
}

/** Whether YYYY-MM-DD is a day of the calendar. Computed here, as a `Date` and back is half of what reading a player costs. */
function exists(date: string): boolean {
  const year = Number(date.slice(0, 4))
  const month = Number(date.slice(5, 7))
  const day = Number(date.slice(8, 10))
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(month, year)
}

function daysOf(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/*
 * The kinds of fields: an unknown value in, a clean value out, or an `InvalidValue` that says what was expected.
 * Each reader stands next to its schema, so that validation and the API description cannot drift apart.
 */
import type { TSchema } from 'typebox'
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
import { type Field, InvalidValue } from './record.ts'

export const KEY_LENGTH_MAX = 200
export const TEXT_LENGTH_MAX = 500
const EMAIL_LENGTH_MAX = 254
/** JSON numbers with up to this many significant digits are read exactly everywhere. */
const SIGNIFICANT_DIGITS_MAX = 15
/** The largest number with that many digits; schemas describe larger ones only in quotes. */
const DIGITS_MAX = 999_999_999_999_999
const EMAIL = new RegExp(EMAIL_ADDRESS)

function characters(text: string): number {
  // Code points, as PostgreSQL counts them.
  let count = 0
  for (const _ of text) count += 1
  return count
}

function checkedText(value: unknown, expected: string, lengthMax: number): string {
  if (typeof value !== 'string') throw new InvalidValue(expected, value)
  // A code point takes at most two UTF-16 units, so only lengths in between need counting.
  if (value.length > lengthMax && (value.length > 2 * lengthMax || characters(value) > lengthMax)) {
    throw new InvalidValue(`${expected} of at most ${lengthMax} characters`, value)
  }
  if (value.includes('\0') || !value.isWellFormed())
    throw new InvalidValue(`${expected} without NUL or lone surrogates`, value)
  return value
}

/** Any text of up to 500 characters, including an empty one. NUL and lone surrogates are refused (decision 8). */
export const text: Field<string> = {
  schema: Type.String({ maxLength: TEXT_LENGTH_MAX, pattern: NO_NUL }),
  read: (value) => checkedText(value, 'a string', TEXT_LENGTH_MAX),
}

/** A text with at least one character. */
export const nonEmptyText: Field<string> = {
  schema: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX, pattern: NO_NUL }),
  read: (value) => {
    const read = checkedText(value, 'a non-empty string', TEXT_LENGTH_MAX)
    if (read === '') throw new InvalidValue('a non-empty string', value)
    return read
  },
}

/** A text that is not blank (decision 50). */
export const nonBlankText: Field<string> = {
  schema: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX, pattern: NO_NUL_NOT_BLANK }),
  read: (value) => notBlank(checkedText(value, 'a non-blank string', TEXT_LENGTH_MAX)),
}

/** A pincode that may contain letters and blanks, or a whole number (decision 70). */
export const postcode: Field<string> = {
  schema: Type.Union([nonBlankText.schema, Type.Integer({ minimum: 0 })]),
  read: (value) => {
    const read = typeof value === 'number' ? phoneText.read(value) : nonBlankText.read(value)
    // It is written to a row unescaped.
    if (/[\p{Cc}\\]/u.test(read)) throw new InvalidValue('a string without control characters or backslashes', value)
    return read
  },
}

/** An identifier: 1 to 200 characters, no control characters; nothing is trimmed (decision 8). */
export const key: Field<string> = {
  schema: Type.String({ minLength: 1, maxLength: KEY_LENGTH_MAX, pattern: NO_CONTROLS }),
  read: readKey,
}

/** An identifier that is not blank (decision 50). */
export const nonBlankKey: Field<string> = {
  schema: Type.String({
    minLength: 1,
    maxLength: KEY_LENGTH_MAX,
    pattern: NO_CONTROLS_NOT_BLANK,
  }),
  read: (value) => notBlank(readKey(value)),
}

function readKey(value: unknown): string {
  const read = checkedText(value, 'an identifier', KEY_LENGTH_MAX)
  if (read === '') throw new InvalidValue('a non-empty identifier', value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(read))
    throw new InvalidValue('an identifier without control characters', value)
  return read
}

function notBlank(value: string): string {
  if (value.trim() === '') throw new InvalidValue('a non-blank string', value)
  return value
}

/** An address with one `@`, a dot in the domain and no blanks, up to 254 characters (decision 23). */
export const email: Field<string> = {
  schema: Type.String({ maxLength: EMAIL_LENGTH_MAX, pattern: EMAIL_ADDRESS }),
  read: readEmail,
}

/** An e-mail address, or empty (decision 50). */
export const emailOrEmpty: Field<string> = {
  schema: Type.String({ maxLength: EMAIL_LENGTH_MAX, pattern: `^$|${EMAIL_ADDRESS}` }),
  read: (value) => (value === '' ? '' : readEmail(value)),
}

function readEmail(value: unknown): string {
  const read = checkedText(value, 'an e-mail address', EMAIL_LENGTH_MAX)
  if (!EMAIL.test(read)) throw new InvalidValue('an e-mail address like name@example.com', value)
  return read
}

/** 1 to 15 digits, as text or as a whole number; kept as text so that leading zeros survive (decision 50). */
export const digits: Field<string> = digitsField('1 to 15 digits', /^\d{1,15}$/)

/** A phone number: digits, optionally preceded by `+`; empty is the same as absent (decision 50). */
export const phone: Field<string> = digitsField('1 to 15 digits with an optional leading +', /^(?:\+?\d{1,15})?$/)

/** A phone number as people write it: blanks, dots, brackets and hyphens are stripped (decision 70). */
export const lenientPhone: Field<string> = {
  schema: Type.Union([Type.String({ maxLength: TEXT_LENGTH_MAX }), Type.Integer({ minimum: 0 })], {
    description: '1 to 15 digits with an optional leading +, ignoring blanks, dots, brackets and hyphens',
  }),
  read: (value) => {
    if (typeof value !== 'string') return phone.read(value)
    const digits = value.length > TEXT_LENGTH_MAX ? value : stripPhonePunctuation(value)
    try {
      return phone.read(digits)
    } catch {
      throw new InvalidValue(
        '1 to 15 digits with an optional leading +, ignoring blanks, dots, brackets and hyphens',
        value,
      )
    }
  },
}

/** Strips the blanks, dots, brackets and hyphens that people write in phone numbers. */
export function stripPhonePunctuation(text: string): string {
  return text.replace(/[\s.()[\]-]/g, '')
}

function digitsField(expected: string, pattern: RegExp): Field<string> {
  return {
    schema: Type.Union([Type.String({ pattern: pattern.source }), Type.Integer({ minimum: 0, maximum: DIGITS_MAX })], {
      description: expected,
    }),
    read: (value) => {
      const read = typeof value === 'number' ? String(value) : value
      if (typeof read !== 'string' || !pattern.test(read)) throw new InvalidValue(expected, value)
      return read
    },
  }
}

/** Any text, or a whole number: the phone of an order (decision 23). */
export const phoneText: Field<string> = {
  schema: Type.Union([text.schema, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
  read: (value) => {
    if (typeof value !== 'number') return text.read(value)
    if (!Number.isSafeInteger(value) || value < 0) throw new InvalidValue('a string or a non-negative integer', value)
    return String(value)
  },
}

/** `true` or `false`, bare or in quotes (decision 9). */
export const boolean: Field<boolean> = {
  schema: Type.Union([Type.Boolean(), Type.Enum(['true', 'false'], { type: 'string' })]),
  read: (value) => {
    if (value === true || value === 'true') return true
    if (value === false || value === 'false') return false
    throw new InvalidValue('true or false', value)
  },
}

/** A field that also accepts an empty text, read as absent (decisions 50 and 70). */
export function orEmpty<T, Absent>({ schema, read }: Field<T>, absent: Absent): Field<T | Absent> {
  return {
    schema: Type.Union([schema, Type.Literal('')]),
    read: (value) => (value === '' ? absent : read(value)),
  }
}

/** One of a list of words, exactly as written. */
export function oneOf<const Words extends readonly string[]>(words: Words): Field<Words[number]> {
  const expected = words.join(' or ')
  return {
    schema: Type.Enum([...words], { type: 'string' }),
    read: (value) => {
      if (typeof value !== 'string' || !words.includes(value)) throw new InvalidValue(expected, value)
      return value
    },
  }
}

const quotedWhole = Type.String({
  title: 'QuotedWhole',
  pattern: `^${wholePattern(WHOLE_MAX)}$`,
  description: 'an integer between 0 and 9007199254740991, as a string',
})

// At most 15 digits in all, so that the reader accepts everything that the schema allows.
const bareDecimal = Type.Number({ minimum: 0, maximum: 99_999_999_999.9999, multipleOf: 0.0001 })

/** A price or quantity from 0, up to 15 digits and four decimals, bare or in quotes (decision 9). */
export const decimal: Field<Amount> = {
  schema: Type.Union([
    Type.String({
      title: 'QuotedDecimal',
      pattern: '^\\d{1,15}(\\.\\d{1,4})?$',
      description: 'a non-negative number with at most 4 decimal places, as a string',
    }),
    bareDecimal,
  ]),
  read: (value) => {
    const amount = parseAmount(numberText(value, 'a non-negative number with at most 4 decimal places'))
    if (amount === undefined)
      throw new InvalidValue('a non-negative number with at most 15 digits and 4 decimal places', value)
    return amount
  },
}

/** A number as it was written: its value, and its number of decimals, trailing zeros included. */
export type WrittenAmount = Readonly<{ amount: Amount; decimals: number }>

/** An amount from 0 to 2^53-1 with at most four decimals. How many an order may have is up to its program (decisions 20 and 69). */
export const decimalAmount: Field<WrittenAmount> = {
  schema: Type.Union([
    Type.String({
      title: 'QuotedAmount',
      pattern: `^(?:${wholePattern(WHOLE_MAX - 1n)}(\\.\\d{1,${AMOUNT_DIGITS}})?|0*${WHOLE_MAX})$`,
      description: 'a number between 0 and 9007199254740991 with at most 4 decimal places, as a string',
    }),
    Type.Integer({ minimum: 0, maximum: DIGITS_MAX }),
    bareDecimal,
  ]),
  read: (value) => readDecimalAmount(value, `a number between 0 and ${WHOLE_MAX} with at most 4 decimal places`),
}

/** A whole number from 0 to 2^53-1 as an amount of 1/10,000 (decision 20). */
export const wholeAmount: Field<Amount> = {
  schema: Type.Union([quotedWhole, Type.Integer({ minimum: 0, maximum: DIGITS_MAX })]),
  read: (value) => {
    const expected = `an integer between 0 and ${WHOLE_MAX}`
    const { amount, decimals } = readDecimalAmount(value, expected)
    if (decimals > 0) throw new InvalidValue(expected, value)
    return amount
  },
}

function readDecimalAmount(value: unknown, expected: string): WrittenAmount {
  // Any number of leading zeros is allowed (decision 9), so they are stripped before digits are counted.
  const read = numberText(value, expected).replace(/^0+(?=\d)/, '')
  const amount = parseAmount(read, 16)
  if (amount === undefined || amount > WHOLE_MAX * AMOUNT_SCALE) throw new InvalidValue(expected, value)
  const point = read.indexOf('.')
  return { amount, decimals: point < 0 ? 0 : read.length - point - 1 }
}

/** The version of a state: a whole number from 0 to 2^53-1, bare or in quotes (decision 71). */
export const stateVersion: Field<number> = wholeField(Number.MAX_SAFE_INTEGER, quotedWhole)

/** A whole number from 0 to 2^31-1, bare or in quotes: what a column of 4 bytes holds. */
export const smallWhole: Field<number> = wholeField(2 ** 31 - 1)

export function wholeField(
  max: number,
  quoted: TSchema = Type.String({ pattern: `^${wholePattern(BigInt(max))}$` }),
): Field<number> {
  return {
    schema: Type.Union([quoted, Type.Integer({ minimum: 0, maximum: max })]),
    read: (value) => {
      const isDigits = typeof value === 'string' && /^\d+$/.test(value)
      const read = isDigits ? Number(value) : value
      if (typeof read !== 'number' || !Number.isInteger(read) || read < 0 || read > max)
        throw new InvalidValue(`an integer between 0 and ${max}`, value)
      return read
    },
  }
}

/** A number of points from 0 to 2^53-1, bare or in quotes. */
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
      description: 'an integer between -9007199254740991 and 9007199254740991, as a string',
    }),
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ]),
  read: (value) => {
    const expected = `an integer between -${WHOLE_MAX} and ${WHOLE_MAX}`
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
    // Any number of leading zeros is allowed (decision 9), so only the digits after them are counted.
    const digits = typeof text === 'string' ? /^-?0*(\d{1,16})$/.exec(text)?.[1] : undefined
    if (digits === undefined || BigInt(digits) > WHOLE_MAX) throw new InvalidValue(expected, value)
    return (text as string).startsWith('-') ? -BigInt(digits) : BigInt(digits)
  },
}

/** A number as text, whether it was sent bare or in quotes. A bare one that JSON may have altered in transit is refused (decision 9). */
function numberText(value: unknown, expected: string): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'number' || !(value >= 0)) throw new InvalidValue(expected, value)
  const literal = String(value)
  // So few characters cannot contain too many digits.
  if (literal.length <= SIGNIFICANT_DIGITS_MAX) return literal
  const significant = literal.replace(/e.*$/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  if (value > Number.MAX_SAFE_INTEGER || significant.length > SIGNIFICANT_DIGITS_MAX) {
    throw new InvalidValue(`${expected}; numbers this large lose precision: send it as a string`, value)
  }
  return literal
}

/** How a date may be written (decision 70). */
export type DateForm = 'DD-MM-YYYY' | 'YYYY-MM-DD'

/** An existing date from 01-01-1900 to the day of `now`, UTC (decision 50). Read as `YYYY-MM-DD`. */
export function dateOfBirth(now: Date, forms: readonly DateForm[] = ['DD-MM-YYYY']): Field<string> {
  const today = now.toISOString().slice(0, 10)
  const form = forms.join(' or ')
  const takesIso = forms.includes('YYYY-MM-DD')
  return {
    schema: Type.String({ pattern: takesIso ? `${DAY}|^\\d{4}-\\d{2}-\\d{2}$` : DAY }),
    read: (value) => {
      const date = toIsoDate(value, takesIso)
      if (date === undefined) throw new InvalidValue(`a date ${form}`, value)
      if (!exists(date)) throw new InvalidValue(`a date that exists, ${form}`, value)
      if (date < '1900-01-01' || date > today) throw new InvalidValue('a date from 01-01-1900 to today', value)
      return date
    },
  }
}

function toIsoDate(value: unknown, takesIso: boolean): string | undefined {
  if (typeof value !== 'string') return undefined
  const match = /^(\d{2})-(\d{2})-(\d{4})$/.exec(value)
  if (match !== null) return `${match[3]}-${match[2]}-${match[1]}`
  return takesIso && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined
}

/** An RFC 3339 moment from the year 1900 on; read as UTC text, truncated to the millisecond (decision 30). */
export const timestamp: Field<string> = {
  schema: Type.String({ format: 'date-time' }),
  read: (value) => {
    const pattern =
      /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
    const match = typeof value === 'string' && value.length <= 40 ? pattern.exec(value) : null
    if (match === null || !exists(match[1]!)) throw new InvalidValue('a timestamp like 2026-01-31T12:00:00Z', value)
    const read = new Date((value as string).toUpperCase()).toISOString()
    // The database's calendar has no year 0, and so early a moment is a mistake anyway.
    if (read < '1900') throw new InvalidValue('a timestamp from the year 1900 on', value)
    return read
  },
}

/** A calendar day of this millennium, YYYY-MM-DD. */
export const calendarDay: Field<string> = {
  schema: Type.String({ format: 'date' }),
  read: (value) => {
    if (typeof value !== 'string' || !/^2\d{3}-\d{2}-\d{2}$/.test(value) || !exists(value))
      throw new InvalidValue('a date like 2026-12-31, from 2000 to 2999', value)
    return value
  },
}

/** Whether YYYY-MM-DD is a calendar day. Computed by hand: a round trip through `Date` takes half of the time of reading a player. */
function exists(date: string): boolean {
  const year = Number(date.slice(0, 4))
  const month = Number(date.slice(5, 7))
  const day = Number(date.slice(8, 10))
  return month >= 1 && month <= 12 && day >= 1 && day <= getDaysInMonth(month, year)
}

function getDaysInMonth(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

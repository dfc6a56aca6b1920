import { hash } from 'node:crypto'
import { InvalidInput } from '../../errors.ts'
import type { RecordKind, Row } from './batch.ts'
import {
  dateOfBirth,
  digits,
  emailOrEmpty,
  lenientPhone,
  nonBlankText,
  oneOf,
  orEmpty,
  phone,
  phoneText,
  postcode,
  stateVersion,
  stripPhonePunctuation,
  text,
} from './fields.ts'
import { playerKey } from './handles.ts'
import {
  compileReader,
  type Field,
  optional,
  type RecordField,
  type RecordOf,
  type RecordWords,
  readRecord,
  required,
} from './record.ts'
import { ABSENT, escaped, rowOfValues, type Values, valuesOf } from './row.ts'
import type { ShopSettings, WaivableField } from './shop-settings.ts'

/**
 * The fields of a player (specification 2.3; decisions 11, 50 to 55, 70 and 71). `now` bounds the date of birth; `shop` determines which fields are
 * required, and how some are written.
 * An absent optional text is read as empty: the contract does not distinguish the two.
 */
export function playerFields(now: Date, shop: ShopSettings) {
  const needed = new Set<string>(shop['players.required'])
  const field = <T, Absent>(wire: WaivableField, field: Field<T>, absent: Absent): RecordField<T | Absent> =>
    needed.has(wire) ? required(wire, field) : optional(wire, orEmpty(field, absent), absent)
  return {
    name: field('Name', nonBlankText, ''),
    email: optional('Email', emailOrEmpty, ''),
    phone: optional('Phone', shop['players.phone'] === 'lenient' ? lenientPhone : phone, ''),
    address: optional('Add', text, ''),
    dateOfBirth: field('DOB', dateOfBirth(now, shop['players.dates']), undefined),
    gender: field('Gender', oneOf(shop['players.genders']), ''),
    referralCode: field('Refercode', text, ''),
    region: field('State', nonBlankText, ''),
    district: optional('District', text, ''),
    referredBy: optional('RefBy', text, ''),
    pincode: field('Pincode', shop['players.pincode'] === 'text' ? postcode : digits, ''),
    country: field('Country', nonBlankText, ''),
    userId: required('User_id', playerKey),
    stateVersion: optional('State_version', stateVersion, undefined),
  }
}

export const PLAYER_WORDS: RecordWords<ReturnType<typeof playerFields>> = {
  title: 'Player',
  description:
    'A player as the shop sends it. It replaces the whole record: an optional field that is left out becomes empty',
  fields: {
    name: 'the name of the person; not blank',
    email: 'e-mail address, or empty',
    phone: '1 to 15 digits, optionally preceded by +; or empty',
    address: 'the address, as free text',
    dateOfBirth: 'date of birth, DD-MM-YYYY: a day that exists, from 01-01-1900 to today (UTC)',
    gender: 'male or female',
    referralCode: 'the referral code that others order with when this player has referred them; may be empty',
    region: 'state of residence; not blank',
    district: 'district of residence',
    referredBy: 'the person or organisation that has referred the player',
    pincode: 'pin code of the residence: 1 to 15 digits; leading zeros are kept where it is sent as a text',
    country: 'country of residence; not blank',
    userId: 'the key of the player, exact and case-sensitive; not blank',
    stateVersion:
      'a number that the sender raises with each change: a state with a lower number than the recorded one is skipped',
  },
}

/** A player under our own field names; `dateOfBirth` is YYYY-MM-DD. */
export type PlayerRecord = RecordOf<ReturnType<typeof playerFields>>

/** The values of a player as text, in the order of the statement `players-copy`. Unrolled by hand: a loop over the fields takes five times as long. */
function rowOf(player: PlayerRecord): string {
  const { userId, name, email, phone, address, dateOfBirth, gender } = player
  const { referralCode, region, district, referredBy, pincode, country } = player
  // Phone, date, gender and pincode cannot contain characters that need escaping.
  const who = `${escaped(userId)}\t${escaped(name)}\t${escaped(email)}\t${phone}\t${escaped(address)}\t${dateOfBirth ?? ABSENT}\t${gender}`
  const where = `${escaped(region)}\t${escaped(district)}\t${escaped(referredBy)}\t${pincode}\t${escaped(country)}`
  return `${who}\t${escaped(referralCode)}\t${where}`
}

/** A row with the values of the one before where its own are empty: an import never replaces a filled field with an empty one. */
export function filledFrom(before: Values, sent: Row): Row {
  const row = rowOfValues(valuesOf(sent.row).map((value, column) => value || before[column]!))
  return { ...sent, row, fingerprint: fingerprintOf(row) }
}

function fingerprintOf(row: string): string {
  return hash('sha256', row).slice(0, 32)
}

/**
 * How the players of a batch are read. The fingerprint is the first half of the row's SHA-256 in hex: the stored `row_hash`. Dates of birth
 * are bounded by the day of `now` (UTC), so a kind can be reused for all requests of the same day and settings.
 */
export function playerKind(now: Date, shop: ShopSettings): RecordKind<Row> {
  const read = compileReader(playerFields(now, shop))
  return {
    wireKey: 'User_id',
    keyField: playerKey,
    accept: (data, path, position) => {
      const record = read(data, path)
      const row = rowOf(record)
      const { userId, stateVersion } = record
      const accepted = { position, key: userId, fingerprint: fingerprintOf(row), row }
      return stateVersion === undefined ? accepted : { ...accepted, stateVersion }
    },
  }
}

/** The fields by which players can be searched (decision 122). */
export const playerSearchFields = {
  userId: optional('user_id', text, ''),
  email: optional('email', text, ''),
  phone: optional('phone', phoneText, ''),
  referralCode: optional('refer_code', text, ''),
}

export const PLAYER_SEARCH_WORDS: RecordWords<typeof playerSearchFields> = {
  title: 'PlayerSearch',
  description:
    'What is known of a player: at least one field that is not empty. Players who match any of them are found',
  fields: {
    userId: 'the key of the player, exactly',
    email: 'e-mail address, in any case of the letters A to Z',
    phone: 'phone number, with or without its +; blanks, dots, brackets and hyphens are ignored',
    referralCode: 'the referral code that others order with, exactly',
  },
}

/** The search terms, any of which may be empty. The phone number is normalised as it is stored, without the plus. */
export type PlayerSearch = RecordOf<typeof playerSearchFields>

/** Reads the search terms. Errors: InvalidInput, including when all of them are empty. */
export function readPlayerSearch(data: unknown): PlayerSearch {
  const { phone, ...rest } = readRecord(playerSearchFields, data, 'data')
  const search = { ...rest, phone: stripPhonePunctuation(phone).replace(/^\+/, '') }
  if (Object.values(search).every((sought) => sought === ''))
    throw new InvalidInput('data', 'expected at least one of user_id, email, phone, refer_code')
  return search
}

import { InvalidInput } from '../../errors.ts'
import { attributesField } from './attributes.ts'
import {
  boolean,
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
import { playerKey } from './player-key.ts'
import {
  type Field,
  optional,
  type RecordField,
  type RecordOf,
  type RecordWords,
  readRecord,
  required,
} from './record.ts'
import type { ShopSettings, WaivableField } from './shop-settings.ts'

/** The attributes of a player. */
export const playerAttributes = attributesField(2_048)

/**
 * The fields of a player (specification 2.3; decisions 8, 50, 70 and 71). `now` bounds the date of birth; `shop` determines which fields are
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
    rejoins: optional('rejoin', boolean, false),
    participates: optional('participates', orEmpty(boolean, undefined), undefined),
    attributes: optional('attributes', playerAttributes, undefined),
  }
}

export const PLAYER_WORDS: RecordWords<ReturnType<typeof playerFields>> = {
  title: 'Player',
  description: 'A player. Replaces the whole record: omitted optional fields become empty',
  fields: {
    name: 'name of the player; non-blank',
    email: 'e-mail address, or empty',
    phone: '1 to 15 digits with an optional leading +, or empty',
    address: 'address, as free text',
    dateOfBirth: 'date of birth, DD-MM-YYYY: an existing date, from 01-01-1900 to today (UTC)',
    gender: 'male or female',
    referralCode: 'referral code of this player, for the orders of referred players; may be empty',
    region: 'state of residence; non-blank',
    district: 'district of residence',
    referredBy: 'person or organization that referred the player; no effect on points',
    pincode: 'postal code of the residence: 1 to 15 digits; leading zeros are kept if sent as a string',
    country: 'country of residence; non-blank',
    userId: 'player ID, exact and case-sensitive; non-blank',
    stateVersion: 'version set by the sender, increased with each change; older versions are skipped',
    rejoins: 'true: if the player was erased, the ID is opened again for a new person',
    participates: 'false: new orders earn no points; true: they do again; absent: unchanged, for a new player true',
    attributes: 'what rules may ask about the player, such as vip; default: as stored. {} removes them',
  },
}

/** A player under our own field names; `dateOfBirth` is YYYY-MM-DD. */
export type PlayerRecord = RecordOf<ReturnType<typeof playerFields>>

/** The fields by which players can be searched (decision 122). */
export const playerSearchFields = {
  userId: optional('user_id', text, ''),
  email: optional('email', text, ''),
  phone: optional('phone', phoneText, ''),
  referralCode: optional('refer_code', text, ''),
}

export const PLAYER_SEARCH_WORDS: RecordWords<typeof playerSearchFields> = {
  title: 'PlayerSearch',
  description: 'Search criteria, at least one. Finds players that match any of them',
  fields: {
    userId: 'player ID, exact match',
    email: 'e-mail address, case-insensitive for the letters A to Z',
    phone: 'phone number, with or without its +; blanks, dots, brackets and hyphens are ignored',
    referralCode: 'referral code of the player, exact match',
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

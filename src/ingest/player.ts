import { hash } from 'node:crypto'
import type { RecordKind, Row } from './batch.ts'
import {
  dateOfBirth,
  digits,
  emailOrEmpty,
  filledKey,
  filledText,
  lenientPhone,
  oneOf,
  orEmpty,
  phone,
  postcode,
  stateVersion,
  text,
} from './fields.ts'
import { compileReader, type Field, optional, type RecordField, type RecordOf, required } from './record.ts'
import { ABSENT, escaped } from './row.ts'
import type { DispensableField, ShopSettings } from './shop-settings.ts'

/**
 * The fields of a player (specification 2.3; decisions 11, 50 to 55, 70 and 71). `now` bounds the date of birth; `shop` says which fields are
 * required, and how some are written.
 * Optional texts that are absent are empty: the contract makes no difference between the two.
 */
export function playerFields(now: Date, shop: ShopSettings) {
  const needed = new Set<string>(shop['players.required'])
  const field = <T, Absent>(wire: DispensableField, field: Field<T>, absent: Absent): RecordField<T | Absent> =>
    needed.has(wire) ? required(wire, field) : optional(wire, orEmpty(field, absent), absent)
  return {
    name: field('Name', filledText, ''),
    email: optional('Email', emailOrEmpty, ''),
    phone: optional('Phone', shop['players.phone'] === 'lenient' ? lenientPhone : phone, ''),
    address: optional('Add', text, ''),
    dateOfBirth: field('DOB', dateOfBirth(now, shop['players.dates']), undefined),
    gender: field('Gender', oneOf(shop['players.genders']), ''),
    referralCode: field('Refercode', text, ''),
    region: field('State', filledText, ''),
    district: optional('District', text, ''),
    referredBy: optional('RefBy', text, ''),
    pincode: field('Pincode', shop['players.pincode'] === 'text' ? postcode : digits, ''),
    country: field('Country', filledText, ''),
    userId: required('User_id', filledKey),
    stateVersion: optional('State_version', stateVersion, undefined),
  }
}

/** A player in our own names; `dateOfBirth` is YYYY-MM-DD. */
export type PlayerRecord = RecordOf<ReturnType<typeof playerFields>>

/** The values of a player as text, in the order of `players-copy.sql`. Written out, as a loop over the fields takes five times as long. */
function rowOf(player: PlayerRecord): string {
  const { userId, name, email, phone, address, dateOfBirth, gender } = player
  const { referralCode, region, district, referredBy, pincode, country } = player
  // Phone, date, gender and pincode have no character that would need escaping.
  const who = `${escaped(userId)}\t${escaped(name)}\t${escaped(email)}\t${phone}\t${escaped(address)}\t${dateOfBirth ?? ABSENT}\t${gender}`
  const where = `${escaped(region)}\t${escaped(district)}\t${escaped(referredBy)}\t${pincode}\t${escaped(country)}`
  return `${who}\t${escaped(referralCode)}\t${where}`
}

/**
 * How players of a batch are read. The fingerprint is half a SHA-256 of the row, in hex: the `row_hash` of the store. Dates of birth are
 * bounded by the day of `now` (UTC), so one kind serves all requests of a day that have the same settings.
 */
export function playerKind(now: Date, shop: ShopSettings): RecordKind<Row> {
  const read = compileReader(playerFields(now, shop))
  return {
    wireKey: 'User_id',
    keyField: filledKey,
    accept: (data, at, position) => {
      const record = read(data, at)
      const row = rowOf(record)
      const { userId, stateVersion } = record
      const accepted = { position, key: userId, fingerprint: hash('sha256', row).slice(0, 32), row }
      return stateVersion === undefined ? accepted : { ...accepted, stateVersion }
    },
  }
}

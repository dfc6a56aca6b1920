import { hash } from 'node:crypto'
import type { RecordKind, Row } from './batch.ts'
import { dateOfBirth, digits, emailOrEmpty, filledKey, filledText, oneOf, phone, stateVersion, text } from './fields.ts'
import { compileReader, optional, type RecordOf, required } from './record.ts'
import { escaped } from './row.ts'

/**
 * The fields of a player (specification 2.3; decisions 11, 50 to 55 and 71). `now` bounds the date of birth.
 * Optional texts that are absent are empty: the contract makes no difference between the two.
 */
export function playerFields(now: Date) {
  return {
    name: required('Name', filledText),
    email: optional('Email', emailOrEmpty, ''),
    phone: optional('Phone', phone, ''),
    address: optional('Add', text, ''),
    dateOfBirth: required('DOB', dateOfBirth(now)),
    gender: required('Gender', oneOf(['male', 'female'])),
    referralCode: required('Refercode', text),
    region: required('State', filledText),
    district: optional('District', text, ''),
    referredBy: optional('RefBy', text, ''),
    pincode: required('Pincode', digits),
    country: required('Country', filledText),
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
  const who = `${escaped(userId)}\t${escaped(name)}\t${escaped(email)}\t${phone}\t${escaped(address)}\t${dateOfBirth}\t${gender}`
  const where = `${escaped(region)}\t${escaped(district)}\t${escaped(referredBy)}\t${pincode}\t${escaped(country)}`
  return `${who}\t${escaped(referralCode)}\t${where}`
}

/**
 * How players of a batch are read. The fingerprint is half a SHA-256 of the row, in hex: the `row_hash` of the store. Dates of birth are
 * bounded by the day of `now` (UTC), so one kind serves all requests of a day.
 */
export function playerKind(now: Date): RecordKind<Row> {
  const read = compileReader(playerFields(now))
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

import { hash } from 'node:crypto'
import type { RecordKind, Row } from './batch.ts'
import { dateOfBirth, digits, emailOrEmpty, filledKey, filledText, oneOf, phone, text } from './fields.ts'
import { optional, type RecordOf, readRecord, required } from './record.ts'
import { escaped } from './row.ts'

/**
 * The fields of a player (specification 2.3; decisions 11 and 50 to 55). `now` bounds the date of birth.
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
    referCode: required('Refercode', text),
    state: required('State', filledText),
    district: optional('District', text, ''),
    referredBy: optional('RefBy', text, ''),
    pincode: required('Pincode', digits),
    country: required('Country', filledText),
    userId: required('User_id', filledKey),
  }
}

/** A player in our own names; `dateOfBirth` is YYYY-MM-DD. */
export type PlayerRecord = RecordOf<ReturnType<typeof playerFields>>

/** The values of a player as text, in the order of `players-copy.sql`. Written out: a loop over the fields takes five times as long. */
function rowOf(player: PlayerRecord): string {
  const { userId, name, email, phone, address, dateOfBirth, gender } = player
  const { referCode, state, district, referredBy, pincode, country } = player
  // Phone, date, gender and pincode have no character that would need escaping.
  const who = `${escaped(userId)}\t${escaped(name)}\t${escaped(email)}\t${phone}\t${escaped(address)}\t${dateOfBirth}\t${gender}`
  const where = `${escaped(state)}\t${escaped(district)}\t${escaped(referredBy)}\t${pincode}\t${escaped(country)}`
  return `${who}\t${escaped(referCode)}\t${where}`
}

/** How players of a batch are read. The fingerprint is half a SHA-256 of the row, in hex: the `row_hash` of the store. */
export function playerKind(now: Date): RecordKind<Row> {
  const day = now.toISOString().slice(0, 10)
  if (kindOfDay?.day !== day) kindOfDay = { day, kind: makeKind(now) }
  return kindOfDay.kind
}

/** The fields bound the date of birth by the day, so a table of them serves all requests of a day. */
let kindOfDay: { day: string; kind: RecordKind<Row> } | undefined

function makeKind(now: Date): RecordKind<Row> {
  const fields = playerFields(now)
  return {
    wireKey: 'User_id',
    keyField: filledKey,
    accept: (data, at, position) => {
      const record = readRecord(fields, data, at)
      const row = rowOf(record)
      return { position, key: record.userId, fingerprint: hash('sha256', row).slice(0, 32), row }
    },
  }
}

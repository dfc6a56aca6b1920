import { hash } from 'node:crypto'
import type { Fingerprinted, RecordKind } from './batch.ts'
import { dateOfBirth, digits, emailOrEmpty, filledKey, filledText, oneOf, phone, text } from './fields.ts'
import { optional, type RecordOf, readRecord, required } from './record.ts'

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

/** How players of a batch are read. The fingerprint is half a SHA-256 of all values, in hex: the `row_hash` of the store. */
export function playerKind(now: Date): RecordKind<Fingerprinted<PlayerRecord>> {
  const fields = playerFields(now)
  return {
    wireKey: 'User_id',
    keyField: filledKey,
    accept: (data, at, position) => {
      const record = readRecord(fields, data, at)
      const fingerprint = hash('sha256', JSON.stringify(Object.values(record))).slice(0, 32)
      return { position, key: record.userId, fingerprint, record }
    },
  }
}

import { hash } from 'node:crypto'
import type { RecordKind, Row } from './batch.ts'
import { type PlayerRecord, playerFields } from './player.ts'
import { playerKey } from './player-key.ts'
import { marksIn, marksOf } from './player-marks.ts'
import { compileReader } from './record.ts'
import { ABSENT, escaped, rowOfValues, type Values, valuesOf } from './row.ts'
import type { ShopSettings } from './shop-settings.ts'

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
  return { ...sent, row, fingerprint: fingerprintOf(row) + marksIn(sent.fingerprint) }
}

function fingerprintOf(row: string): string {
  return hash('sha256', row).slice(0, 32)
}

/**
 * How the players of a batch are read. The fingerprint is the first half of the row's SHA-256 in hex, which is the stored `row_hash`, and marks of
 * what few records say (player-marks.ts). Dates of birth are bounded by the day of `now` (UTC), so a kind can be reused for all requests of the same day and settings.
 */
export function playerKind(now: Date, shop: ShopSettings): RecordKind<Row> {
  const readPlayer = compileReader(playerFields(now, shop))
  return {
    wireKey: 'User_id',
    keyField: playerKey,
    accept: (data, path, position) => {
      const record = readPlayer(data, path)
      const row = rowOf(record)
      const { userId, stateVersion, rejoins, participates, attributes } = record
      const read = { position, key: userId, fingerprint: fingerprintOf(row) + marksOf(participates, attributes), row }
      const accepted: Row = rejoins ? { ...read, rejoins } : read
      return stateVersion === undefined ? accepted : { ...accepted, stateVersion }
    },
  }
}

import { createHash } from 'node:crypto'

/** What the data does not know about a customer. Nothing of it describes a person. */
export interface MadeUp {
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly address: string
  readonly birth: string
  readonly gender: 'male' | 'female'
  readonly referCode: string
  readonly state: string
  readonly district: string
  readonly pinCode: string
}

const MS_PER_DAY = 86_400_000
const BIRTHS_FROM = Date.UTC(1940, 0, 1)
const BIRTHS_DAYS = (Date.UTC(1991, 0, 1) - BIRTHS_FROM) / MS_PER_DAY

/**
 * Invents the facts that a player record needs and the data lacks.
 *
 * The same customer number gives the same facts on every machine: they come from its SHA-256 digest. Texts say that they
 * are made up; e-mails end in example.com and phone numbers lie in the range reserved for drama, so neither reaches anyone.
 * Everybody was born from 1940 to 1990, so was of age in 2010.
 */
export function makeUp(customer: string): MadeUp {
  const pick = (field: string, choices: number): number =>
    createHash('sha256').update(`${customer}/${field}`).digest().readUInt32BE(0) % choices
  return {
    name: `Customer ${customer} (made up)`,
    email: `customer-${customer}@example.com`,
    phone: `+447700900${String(pick('phone', 1000)).padStart(3, '0')}`,
    address: `${1 + pick('house', 199)} Example Street (made up)`,
    birth: dayMonthYear(new Date(BIRTHS_FROM + pick('birth', BIRTHS_DAYS) * MS_PER_DAY)),
    gender: pick('gender', 2) === 0 ? 'female' : 'male',
    referCode: `REFER-${customer}`,
    state: `State ${1 + pick('state', 9)} (made up)`,
    district: `District ${1 + pick('district', 99)} (made up)`,
    pinCode: String(100_000 + pick('pincode', 900_000)),
  }
}

function dayMonthYear(date: Date): string {
  const [year, month, day] = date.toISOString().slice(0, 10).split('-')
  return `${day}-${month}-${year}`
}

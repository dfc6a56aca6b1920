/*
 * A list of raw records in, clean records and refused ones out. One bad record never stops the others (decision 42).
 */
import { InvalidInput, TooLarge } from '../errors.ts'
import type { Field } from './record.ts'
import { shown } from './shown.ts'

/** A clean record with its place in the request. */
export type Accepted<T> = Readonly<{ position: number; key: string; record: T }>

/** Two records with one `fingerprint` hold the same values. */
export type Fingerprinted<T> = Accepted<T> & Readonly<{ fingerprint: string }>

/** A record that was refused: where, and why. `key` where it could be read. */
export type Refused = Readonly<{ position: number; key?: string; path: string; error: string }>

/** How records of one noun are read, each into an `A`. */
export type RecordKind<A extends Accepted<unknown>> = Readonly<{
  /** The wire's name of the key. */
  wireKey: string
  /** What a usable key is. */
  keyField: Field<string>
  /** `at` is the record's path. Errors: InvalidInput. */
  accept: (data: unknown, at: string, position: number) => A
}>

/** The list in `data`, or why it cannot be one (decisions 6 and 42). */
export function readList(data: unknown, recordsMax: number): readonly unknown[] {
  if (!Array.isArray(data)) throw new InvalidInput('data', `expected a list of records, got ${shown(data)}`)
  if (data.length > recordsMax) {
    throw new TooLarge(
      'data',
      `expected at most ${recordsMax} records in one request, got ${data.length}: send them in several`,
    )
  }
  return data
}

/** Reads the records from `from` up to `to` of a list. Pure; the caller decides how many to take at a time. */
export function readBatch<A extends Accepted<unknown>>(
  list: readonly unknown[],
  kind: RecordKind<A>,
  from: number,
  to: number,
): { accepted: A[]; refused: Refused[] } {
  const accepted: A[] = []
  const refused: Refused[] = []
  for (let position = from; position < to; position += 1) {
    try {
      accepted.push(kind.accept(list[position], `data[${position}]`, position))
    } catch (error) {
      if (!(error instanceof InvalidInput) || error instanceof TooLarge) throw error
      refused.push({ position, ...keyIn(list[position], kind), path: error.path, error: error.message })
    }
  }
  return { accepted, refused }
}

/** The key of a refused record, where it has a usable one (decision 47). */
function keyIn(
  raw: unknown,
  { wireKey, keyField }: Pick<RecordKind<Accepted<unknown>>, 'wireKey' | 'keyField'>,
): { key?: string } {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, wireKey)) return {}
  try {
    return { key: keyField.read((raw as Record<string, unknown>)[wireKey]) }
  } catch {
    return {} // The fault is reported already: this one only says that the record cannot be named.
  }
}

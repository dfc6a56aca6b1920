/*
 * What a list of records is read into: clean records and rejected ones. One bad record never stops the others (decision 42).
 */
import { InvalidInput, TooLarge } from '../errors.ts'
import type { SentPiece } from './pieces.ts'
import type { Field } from './record.ts'

/** The records of a request as they were sent, in pieces of some hundred that are still arriving. They are taken once. */
export type SentRecords = Readonly<{
  /** Waits for the next piece; false when there is none left. Errors: what the rest of the request is refused for. */
  more: () => Promise<boolean>
  /** Takes the pieces that have arrived, at most so many. */
  take: (piecesMax: number) => readonly SentPiece[]
}>

/** The place of a clean record in the request, and its key. */
export type RecordPlace = Readonly<{ position: number; key: string }>

/** A clean record with its place. */
export type Accepted<T> = RecordPlace & Readonly<{ record: T }>

/** A clean record as text (row.ts). Two with one `fingerprint` hold the same values, whatever their version (decision 71). */
export type Row = RecordPlace & Readonly<{ fingerprint: string; row: string; stateVersion?: number }>

/** A record that was rejected: where it stands in the request, and why. `key` where it could be read. */
export type RejectedRecord = Readonly<{
  position: number
  key?: string
  /** Absent where the record is invalid; else it is not the state to be stored (decision 71), or asks for more points than there are (139). */
  verdict?: 'stale' | 'conflict' | 'insufficient-points' | 'not-allowed'
  path: string
  error: string
}>

/** How records of one noun are read, each into an `A`. */
export type RecordKind<A extends RecordPlace> = Readonly<{
  /** The wire's name of the key. */
  wireKey: string
  /** What a usable key is. */
  keyField: Field<string>
  /** `at` is the record's path. Errors: InvalidInput. */
  accept: (data: unknown, at: string, position: number) => A
}>

/** Reads one record of the request, at `position`. Errors: what is no fault of one record alone, such as TooLarge. */
export function readOne<A extends RecordPlace>(
  raw: unknown,
  kind: RecordKind<A>,
  position: number,
): { accepted: A } | { rejected: RejectedRecord } {
  try {
    return { accepted: kind.accept(raw, `data[${position}]`, position) }
  } catch (error) {
    if (!(error instanceof InvalidInput) || error instanceof TooLarge) throw error
    return { rejected: { position, ...keyIn(raw, kind), path: error.path, error: error.message } }
  }
}

/** The key of a rejected record, where it has a usable one (decision 47). */
function keyIn(
  raw: unknown,
  { wireKey, keyField }: Pick<RecordKind<RecordPlace>, 'wireKey' | 'keyField'>,
): { key?: string } {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, wireKey)) return {}
  try {
    return { key: keyField.read((raw as Record<string, unknown>)[wireKey]) }
  } catch {
    return {} // What is wrong with the record is known already; it just cannot be named.
  }
}

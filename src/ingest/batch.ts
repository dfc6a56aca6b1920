/*
 * A list of raw records in, clean records and refused ones out. One bad record never stops the others (decision 42).
 */
import { InvalidInput, TooLarge } from '../errors.ts'
import type { SentPiece } from './pieces.ts'
import type { Field } from './record.ts'

/** The records of a request as they were sent, in pieces of some hundred that are still arriving: to be read once. */
export type SentRecords = Readonly<{
  /** Waits for the next piece; false when there is none left. Errors: what the rest of the request is refused for. */
  more: () => Promise<boolean>
  /** The pieces that are there, at most so many. */
  take: (piecesMax: number) => readonly SentPiece[]
}>

/** The place of a clean record in the request, and its key. */
export type RecordPlace = Readonly<{ position: number; key: string }>

/** A clean record with its place. */
export type Accepted<T> = RecordPlace & Readonly<{ record: T }>

/** A clean record as text (row.ts). Two with one `fingerprint` hold the same values. */
export type Row = RecordPlace & Readonly<{ fingerprint: string; row: string }>

/** A record that was refused: where, and why. `key` where it could be read. */
export type RejectedRecord = Readonly<{ position: number; key?: string; path: string; error: string }>

/** How records of one noun are read, each into an `A`. */
export type RecordKind<A extends RecordPlace> = Readonly<{
  /** The wire's name of the key. */
  wireKey: string
  /** What a usable key is. */
  keyField: Field<string>
  /** `at` is the record's path. Errors: InvalidInput. */
  accept: (data: unknown, at: string, position: number) => A
}>

/** Reads one record of the request, at `position`. Pure. */
export function readOne<A extends RecordPlace>(
  raw: unknown,
  kind: RecordKind<A>,
  position: number,
): { accepted: A } | { refused: RejectedRecord } {
  try {
    return { accepted: kind.accept(raw, `data[${position}]`, position) }
  } catch (error) {
    if (!(error instanceof InvalidInput) || error instanceof TooLarge) throw error
    return { refused: { position, ...keyIn(raw, kind), path: error.path, error: error.message } }
  }
}

/** The key of a refused record, where it has a usable one (decision 47). */
function keyIn(
  raw: unknown,
  { wireKey, keyField }: Pick<RecordKind<RecordPlace>, 'wireKey' | 'keyField'>,
): { key?: string } {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, wireKey)) return {}
  try {
    return { key: keyField.read((raw as Record<string, unknown>)[wireKey]) }
  } catch {
    return {} // The fault is reported already: this one only says that the record cannot be named.
  }
}

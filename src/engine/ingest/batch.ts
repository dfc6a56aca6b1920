/*
 * A list of records is read into clean and rejected ones. One bad record never stops the others (decision 42).
 */
import { InvalidInput, TooLarge } from '../../errors.ts'
import type { Field } from './record.ts'
import type { SentChunk } from './sent-json.ts'

/** The records of a request as they were sent, arriving in chunks of a few hundred. They can be taken only once. */
export type SentRecords = Readonly<{
  /** Waits for the next chunk; false when there are none left. Errors: whatever the rest of the request is refused for. */
  more: () => Promise<boolean>
  /** Takes the chunks that have arrived, at most `chunksMax`. */
  take: (chunksMax: number) => readonly SentChunk[]
}>

/** The position of a clean record in the request, and its key. */
export type RecordPlace = Readonly<{ position: number; key: string }>

/** A clean record with its position and key. */
export type Accepted<T> = RecordPlace & Readonly<{ record: T }>

/**
 * A clean record as text (row.ts). Rows with the same `fingerprint` hold the same values, regardless of their versions (decision 71). `rejoins`: of a
 * player who may have been erased (decision 216).
 */
export type Row = RecordPlace & Readonly<{ fingerprint: string; row: string; stateVersion?: number; rejoins?: true }>

/**
 * Why a valid record is rejected: its state is not accepted (decision 71), its redemption is refused (decisions 67 and 139), or its player was erased
 * (decision 216), or the program cannot count its currency.
 */
export const REJECTION_VERDICTS = [
  'stale',
  'conflict',
  'insufficient-points',
  'not-allowed',
  'erased',
  'currency',
] as const
type RejectionVerdict = (typeof REJECTION_VERDICTS)[number]

/** Why a record is rejected, for machines: a verdict on a valid record, or the kind of issue of an invalid one, without any of the values sent. */
export type RejectionReason = Readonly<
  { verdict: RejectionVerdict; kind?: undefined } | { verdict?: undefined; kind: string }
>

/** A rejected record: its position in the request, and why. `key` is present where it could be read. */
export type RejectedRecord = Readonly<{ position: number; key?: string; path: string; error: string }> & RejectionReason

/** How records of one kind are read, each into an `A`. */
export type RecordKind<A extends RecordPlace> = Readonly<{
  /** The wire's name of the key. */
  wireKey: string
  /** Reads the key. */
  keyField: Field<string>
  /** `path` is the record's path. Errors: InvalidInput. */
  accept: (data: unknown, path: string, position: number) => A
}>

/** Reads the record of the request at `position`. Errors: those that concern more than this record, such as TooLarge. */
export function readOne<A extends RecordPlace>(
  raw: unknown,
  kind: RecordKind<A>,
  position: number,
): { accepted: A } | { rejected: RejectedRecord } {
  try {
    return { accepted: kind.accept(raw, `data[${position}]`, position) }
  } catch (error) {
    if (!(error instanceof InvalidInput) || error instanceof TooLarge) throw error
    return { rejected: { position, ...keyIn(raw, kind), path: error.path, error: error.message, kind: error.kind } }
  }
}

/** The key of a rejected record, if it has a usable one (decision 47). */
function keyIn(
  raw: unknown,
  { wireKey, keyField }: Pick<RecordKind<RecordPlace>, 'wireKey' | 'keyField'>,
): { key?: string } {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, wireKey)) return {}
  try {
    return { key: keyField.read((raw as Record<string, unknown>)[wireKey]) }
  } catch {
    return {} // The record's issue is already known; it merely cannot be reported by key.
  }
}

/*
 * The messages to and from the thread that reads rows.
 */
import type { RejectedRecord } from '../engine/ingest/batch.ts'
import type { SentChunk } from '../engine/ingest/sent-json.ts'
import type { ShopSettings } from '../engine/ingest/shop-settings.ts'

/** The kinds of records that are read into rows. */
export type RowRecordType = 'players' | 'products'

/**
 * Pieces of one request; `from` is the position of their first record, `nowMs` the moment that bounds dates, `shop` the settings in effect when
 * the request began.
 */
export type RowRequest = Readonly<{
  id: number
  recordType: RowRecordType
  nowMs: number
  shop: ShopSettings
  from: number
  chunks: readonly SentChunk[]
}>

/** Rows packed into a few long strings, which are cheap to send to another thread. */
export type PackedRows = Readonly<{
  /** How many records were read, including rejected ones. */
  read: number
  /** Tab-separated: keys contain no tabs. */
  keys: string
  fingerprints: string
  /** Newline-separated: rows contain no newlines. */
  rows: string
  rejected: readonly RejectedRecord[]
  /** The versions of the few records that carry one. */
  versions: readonly Readonly<{ position: number; stateVersion: number }>[]
  /** The positions of the few records of players who rejoin. */
  rejoining: readonly number[]
}>

/** `issue` is an error for which the whole request is refused, with its path. */
export type RowResponse = Readonly<{ id: number } & (PackedRows | { path: string; issue: string })>

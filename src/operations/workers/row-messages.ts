/*
 * What the thread that reads rows is asked, and what it answers.
 */
import type { RejectedRecord } from '../../ingest/batch.ts'
import type { SentPiece } from '../../ingest/pieces.ts'
import type { ShopSettings } from '../../ingest/shop-settings.ts'

/** What is read into rows. */
export type RowNoun = 'players' | 'products'

/**
 * Pieces of one request; `from` is the position of their first record, `nowMs` the moment that bounds dates, `shop` the settings that held
 * when the request began.
 */
export type RowQuestion = Readonly<{
  id: number
  noun: RowNoun
  nowMs: number
  shop: ShopSettings
  from: number
  pieces: readonly SentPiece[]
}>

/** Rows as few long texts, which cross to another thread at the cost of a copy. */
export type PackedRows = Readonly<{
  /** How many records were read, rejected ones too. */
  read: number
  /** Between tabs: no key has one. */
  keys: string
  fingerprints: string
  /** Between line ends: no row has one. */
  rows: string
  rejected: readonly RejectedRecord[]
  /** Of the few that carry one. */
  versions: readonly Readonly<{ position: number; stateVersion: number }>[]
}>

/** `fault` is what the whole request is refused for, with its path. */
export type RowAnswer = Readonly<{ id: number } & (PackedRows | { path: string; fault: string })>

/*
 * Everything that happens and may be worth logging or counting, as plain data; logger.ts and metrics.ts decide what is.
 * No observation contains personal data of players: no names, addresses, bodies or tokens.
 */

import type { RedemptionState } from '../engine/points/model.ts'

export const RECORD_TYPES = ['players', 'products', 'orders', 'adjustments'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** The measures of ledger writes that are observed: counts of entries or orders, and their points (docs/statistics.md). */
export const LEDGER_LINES = ['issued', 'taken-back', 'spent', 'orders', 'nothing'] as const
export type LedgerLine = Readonly<{ measure: (typeof LEDGER_LINES)[number]; key: string; n: number; points: number }>

/** Why database work is retried: kinds of failures (database/db/failures.ts). */
export const RETRY_REASONS = [
  'unreachable',
  'lost',
  'read-only',
  'conflict',
  'lock-wait',
  'timeout',
  'not-replicated',
  'busy',
] as const

/** Who sent a request, as far as it is known: its token's ID, and its trace (`traceparent` of W3C Trace Context). */
export type RequestOrigin = Readonly<{ tokenId?: string | undefined; traceparent?: string | undefined }>

export type Observation = Readonly<
  | { kind: 'order-predicted'; durationMs: number }
  | {
      kind: 'batch-upserted'
      noun: RecordType
      dryRun: boolean
      inserted: number
      updated: number
      skipped: number
      durationMs: number
    }
  | { kind: 'predictions-kept'; kept: number; leftOut: number; dropped: number }
  | { kind: 'predictions-compared'; cameTrue: number; differed: number; noneKept: number; notCompared: number }
  | { kind: 'predictions-differed'; reasons: string; count: number }
  | { kind: 'prediction-log-failed'; step: 'flush' | 'sweep' | 'close'; error: unknown }
  | ({
      kind: 'request-answered'
      requestId: string
      method: string
      route: string
      status: number
      durationMs: number
    } & RequestOrigin)
  | ({ kind: 'request-refused'; requestId: string; method: string; route: string; status: number } & RequestOrigin)
  | { kind: 'requests-refused'; count: number }
  | { kind: 'request-failed'; requestId: string; error: unknown }
  | { kind: 'database-failed'; requestId: string; error: unknown }
  | { kind: 'request-abandoned'; requestId: string; slicesWritten: number; slices: number }
  | { kind: 'player-revealed'; requestId: string; tokenId: string; userId: string }
  | { kind: 'token-refused'; requestId: string; address: string }
  | { kind: 'scope-refused'; requestId: string; tokenId: string; scope: string; address: string }
  | { kind: 'tokens-changed'; act: 'created' | 'revoked' | 'rotated'; tokenId: string; by: string }
  | { kind: 'program-published'; version: number; by: string }
  | { kind: 'program-withdrawn'; version: number; by: string }
  | { kind: 'settings-changed'; changes: Readonly<Record<string, unknown>>; by: string }
  | { kind: 'store-retried'; reason: string; failures: number; delayMs: number; error: unknown }
  | { kind: 'refresh-failed'; error: unknown }
  | { kind: 'statistics-failed'; error: unknown }
  | { kind: 'audit-log-failed'; error: unknown }
  | { kind: 'erasures-failed'; error: unknown }
  | { kind: 'ledger-written'; lines: readonly LedgerLine[] }
  | { kind: 'redemptions-written'; redeemed: number; refunded: number; states: readonly RedemptionState[] }
  | { kind: 'redemptions-refused'; reasons: readonly string[] }
  | { kind: 'balances-summed'; balance: number; debts: number }
  | { kind: 'outstanding-summed'; at: string; outstanding: number; pending: number }
  | { kind: 'backup-found'; at: string }
  | { kind: 'job-revealed'; requestId: string; tokenId: string; jobId: string }
  | { kind: 'job-ended'; jobId: string; job: string; state: string; pauseMs: number | undefined }
  | { kind: 'job-failed'; jobId: string | undefined; job: string | undefined; error: unknown }
  | { kind: 'database-creating'; directory: string }
  | { kind: 'database-migrating'; from: number; to: number }
  | { kind: 'database-copied'; directory: string; durationMs: number }
  | { kind: 'database-newer'; version: number; known: number }
  | { kind: 'memory-low'; limitMib: number; advisedMib: number }
  | { kind: 'service-started'; url: string; database: string; workers: number; durationMs: number }
  | { kind: 'service-stopping'; reason: string }
  | { kind: 'service-stopped' }
  | { kind: 'service-crashed'; error: unknown }
>

export type Observe = (observation: Observation) => void

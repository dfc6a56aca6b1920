import { InvalidInput, NotFound } from '../errors.ts'
import { adjustmentFields, balanceKind } from '../ingest/adjustment.ts'
import type { SentRecords } from '../ingest/batch.ts'
import { readRecord } from '../ingest/record.ts'
import { shortened } from '../ingest/shown.ts'
import { WHOLE_MAX } from '../points/arithmetic.ts'
import {
  type Adjustment,
  type AdjustmentRefusal,
  type AdjustmentVerdict,
  adjust,
  adjustmentKey,
} from '../points/ledger/adjust.ts'
import { layeredLookup } from '../points/ledger/overlay.ts'
import type { Account, Entry } from '../points/model.ts'
import { readKnownAdjustments } from '../store/adjustments.ts'
import { lockAccounts } from '../store/ledger.ts'
import { type LedgerStory, runLedgerBatch } from './batches/ledger-batch.ts'
import { arrived, readAll } from './batches/read-batch.ts'
import type { UpsertSummary } from './batches/summary.ts'
import type { UpsertOptions } from './batches/upsert-batch.ts'
import type { Deps } from './deps.ts'

/**
 * Adjusts many players: what members bring along when a shop moves in. Each id of a player is taken once; again it is `unchanged`.
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: send it again.
 */
export async function adjustPlayers(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  const pieces = await arrived(sent)
  const deadlineAt = performance.now() + options.timeoutMs
  const read = await readAll(pieces, balanceKind)
  const { summary } = await runLedgerBatch(deps, storyAt(deps.now()), read, { ...options, deadlineAt })
  return summary
}

/**
 * Adjusts one player, once for each id; `repeated` says that it was there already.
 * Errors: InvalidInput, for the same id with other content too; NotFound for a player never sent; Unavailable: send it again.
 */
export async function adjustPlayer(
  deps: Deps,
  userId: string,
  data: unknown,
  deadlineAt: number,
): Promise<{ repeated: boolean }> {
  const record = { userId, ...readRecord(adjustmentFields, data, 'data') }
  const accepted = [{ position: 0, key: userId, record }]
  const options = { details: false, dryRun: false, deadlineAt }
  const { verdicts } = await runLedgerBatch(deps, storyAt(deps.now()), { accepted, refused: [] }, options)
  const [verdict] = verdicts
  if (verdict === undefined || 'done' in verdict) return { repeated: verdict?.done === 'unchanged' }
  const { field, error } = describe(record, verdict.refused)
  if (verdict.refused === 'unknown-player') throw new NotFound(error)
  throw new InvalidInput(`data.${field}`, error)
}

function storyAt(now: Date): LedgerStory<Adjustment, AdjustmentVerdict> {
  const laid = { accounts: new Map<string, Account>(), made: new Map<string, Entry>() }
  return {
    noun: 'adjustments',
    at: now.toISOString(),
    weightOf: () => 1,
    userIdOf: ({ userId }) => userId,
    isAboutOthers: () => false,
    lock: lockAccounts,
    async compute(db, adjustments) {
      const stored = await readKnownAdjustments(db, adjustments)
      const known = {
        accounts: layeredLookup(laid.accounts, stored.accounts),
        made: layeredLookup(laid.made, stored.made),
      }
      return { ...adjust(adjustments, known, now.toISOString()), orders: new Map() }
    },
    lay({ accounts, entries }) {
      for (const [userId, account] of accounts) laid.accounts.set(userId, account)
      for (const entry of entries) laid.made.set(adjustmentKey(entry.userId, entry.adjustment!.id), entry)
    },
    describe,
  }
}

function describe({ userId, id }: Adjustment, refusal: AdjustmentRefusal): { field: string; error: string } {
  switch (refusal) {
    case 'unknown-player':
      return { field: 'user_id', error: `there is no player ${shortened(userId)}: send players first` }
    case 'other-content':
      return { field: 'id', error: `adjustment ${shortened(id)} is there with other content: a new one needs a new id` }
    case 'too-many-points':
      return {
        field: 'points',
        error: `expected an adjustment that leaves the account between -${WHOLE_MAX} and ${WHOLE_MAX} points`,
      }
    default:
      return refusal satisfies never
  }
}

/*
 * The ledger while a batch is computed: a snapshot, with what the batch has recorded so far on top.
 */
import type { Account, Entry, RecordedOrder, Redemption } from '../model.ts'
import type { UserId } from '../units.ts'
import { accountFitsWire, afterPosting, EMPTY_ACCOUNT } from './account.ts'
import { addToSums, createEntrySums, type EntrySums, withEntries } from './entry-sums.ts'
import { addEntry, createOverlay, redemptionKey, withOverlay } from './overlay.ts'
import type { Posting } from './postings.ts'
import {
  type HistoryQuestion,
  historyKey,
  type PlayerHistory,
  type Question,
  type Snapshot,
  type WindowQuestion,
  windowKey,
} from './snapshot.ts'

export type WorkingLedger = ReturnType<typeof createWorkingLedger>

/** A ledger that has not recorded anything yet. The snapshot is never modified. */
export function createWorkingLedger(stored: Snapshot) {
  const overlay = createOverlay()
  const current = withOverlay(stored, overlay)
  const entries: Entry[] = []
  const missing: Question[] = []
  const isMissing = new Set<string>()
  const ask = (question: Question, key: string) => {
    if (isMissing.has(key)) return
    isMissing.add(key)
    missing.push(question)
  }
  // Of players whose history was asked for.
  const sumsOf = new Map<UserId, EntrySums>()
  const entrySums = (userId: UserId): EntrySums =>
    sumsOf.getOrInsertComputed(userId, () => {
      const sums = createEntrySums()
      for (const entry of current.entriesOf.get(userId) ?? []) addToSums(sums, entry)
      return sums
    })
  const account = (userId: string): Account => current.accounts.get(userId) ?? EMPTY_ACCOUNT
  return {
    /** What has been recorded so far. `missing` lists the questions that the snapshot could not answer, each once. */
    changes: {
      accounts: overlay.accounts,
      orders: overlay.orders,
      redemptions: overlay.redemptions,
      entries,
      missing,
    },
    account,
    profile: (userId: string) => current.profiles.get(userId),
    isPlayer: (userId: string) => current.profiles.has(userId),
    order: (orderId: string) => current.orders.get(orderId),
    price: (sku: string) => current.catalogue.get(sku),
    playersWithCode: (code: string) => current.codes.get(code) ?? [],

    /** Answers a window question. If the snapshot lacks the stored part, the question is added to `missing`, and that part counts as 0. */
    levelPointsIn(question: WindowQuestion): bigint {
      const key = windowKey(question)
      const sum = current.sums.get(key)
      if (sum === undefined) ask(question, key)
      return (sum ?? 0n) + sumInWindow(current.entriesOf.get(question.userId) ?? [], question)
    },

    /** Answers a history question. If the snapshot lacks the stored part, the question is added to `missing`, and that part counts as empty. */
    history(question: HistoryQuestion): PlayerHistory {
      const key = historyKey(question)
      const stored = current.histories.get(key)
      if (stored === undefined) ask(question, key)
      return withEntries(stored ?? EMPTY_HISTORY, question, entrySums(question.userId), overlay)
    },

    /** Whether all accounts stay within the wire's bounds once everything is posted. */
    canPost: (postings: readonly Posting[]): boolean =>
      postings.every(({ userId }) => {
        const own = postings.filter((posting) => posting.userId === userId)
        return accountFitsWire(own.reduce(afterPosting, account(userId)))
      }),

    /** Accepts a higher version of the recorded state. The account is written too, so that concurrent writes conflict. */
    raiseVersion(recorded: RecordedOrder): void {
      const { id, userId } = recorded.order
      overlay.orders.set(id, recorded)
      overlay.accounts.set(userId, account(userId))
    },

    write(recorded: RecordedOrder, postings: readonly Omit<Entry, 'seq'>[], redemptions: readonly Redemption[]): void {
      for (const redemption of redemptions) overlay.redemptions.set(redemptionKey(redemption), redemption)
      const { id, userId, status } = recorded.order
      const before = account(userId)
      overlay.orders.set(id, recorded)
      overlay.accounts.set(userId, {
        ...before,
        orders: before.orders + (recorded.rev === 1n ? 1n : 0n),
        ...(before.firstOrderId === undefined && status === 'placed' ? { firstOrderId: id } : {}),
      })
      for (const posting of postings) {
        const after = afterPosting(account(posting.userId), posting)
        const entry: Entry = { ...posting, seq: after.entries }
        overlay.accounts.set(posting.userId, after)
        entries.push(entry)
        addEntry(overlay, entry)
        const sums = sumsOf.get(entry.userId)
        if (sums !== undefined) addToSums(sums, entry)
      }
    },
  }
}

function sumInWindow(entries: readonly Entry[], { orderId, from, to }: WindowQuestion): bigint {
  const isInside = ({ counts, order, at }: Entry) => counts && order?.id !== orderId && from < at && at <= to
  return entries.reduce((total, entry) => (isInside(entry) ? total + entry.points : total), 0n)
}

const EMPTY_HISTORY: PlayerHistory = { movements: [], reinstated: 0n, own: [], redemptions: [] }

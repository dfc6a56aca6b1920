/*
 * The ledger while a batch is computed: a snapshot, and on top of it what the batch has recorded so far.
 */
import type { Account, Entry, RecordedOrder } from '../model.ts'
import { accountFitsWire, afterPosting, EMPTY_ACCOUNT } from './account.ts'
import { addEntry, createOverlay, withOverlay } from './overlay.ts'
import type { Posting } from './postings.ts'
import { type Snapshot, type WindowQuestion, windowKey } from './snapshot.ts'

export type WorkingLedger = ReturnType<typeof createWorkingLedger>

export function createWorkingLedger(stored: Snapshot) {
  const overlay = createOverlay()
  const current = withOverlay(stored, overlay)
  const entries: Entry[] = []
  const missing: WindowQuestion[] = []
  const account = (userId: string): Account => current.accounts.get(userId) ?? EMPTY_ACCOUNT
  return {
    /** What was recorded so far; `missing` are the window questions that the snapshot could not answer. */
    changes: { accounts: overlay.accounts, orders: overlay.orders, entries, missing },
    account,
    profile: (userId: string) => current.profiles.get(userId),
    isPlayer: (userId: string) => current.profiles.has(userId),
    order: (orderId: string) => current.orders.get(orderId),
    price: (sku: string) => current.catalogue.get(sku),
    bearersOf: (code: string) => current.codes.get(code) ?? [],

    /** The answer to a window question. Where the snapshot lacks the stored part, it is noted as missing and counts 0. */
    levelPointsIn(question: WindowQuestion): bigint {
      const sum = current.sums.get(windowKey(question))
      if (sum === undefined) missing.push(question)
      return (sum ?? 0n) + sumInWindow(current.entriesOf.get(question.userId) ?? [], question)
    },

    /** Whether all accounts stay within the wire's bounds once everything is posted. */
    canPost: (postings: readonly Posting[]): boolean =>
      postings.every(({ userId }) => {
        const own = postings.filter((posting) => posting.userId === userId)
        return accountFitsWire(own.reduce(afterPosting, account(userId)))
      }),

    /** Takes a higher version of a state that is recorded already. Its account is written too, so that no other request writes meanwhile. */
    raiseVersion(recorded: RecordedOrder): void {
      const { id, userId } = recorded.order
      overlay.orders.set(id, recorded)
      overlay.accounts.set(userId, account(userId))
    },

    write(recorded: RecordedOrder, postings: readonly Omit<Entry, 'seq'>[]): void {
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
      }
    },
  }
}

function sumInWindow(entries: readonly Entry[], { orderId, from, to }: WindowQuestion): bigint {
  const isInside = ({ counts, order, at }: Entry) => counts && order?.id !== orderId && from < at && at <= to
  return entries.reduce((total, entry) => (isInside(entry) ? total + entry.points : total), 0n)
}

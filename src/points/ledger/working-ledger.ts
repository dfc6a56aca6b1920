/*
 * The ledger while a batch is recorded: a snapshot, and on top of it what was recorded since.
 */
import type { Account, Entry, RecordedOrder } from '../model.ts'
import { afterPosting, EMPTY_ACCOUNT, fitsWire } from './account.ts'
import { addEntry, createOverlay, withOverlay } from './overlay.ts'
import type { Posting } from './postings.ts'
import { type Snapshot, type WindowQuestion, windowKey } from './snapshot.ts'

type Changes = {
  accounts: Map<string, Account>
  orders: Map<string, RecordedOrder>
  entries: Entry[]
  missing: WindowQuestion[]
}

export type WorkingLedger = ReturnType<typeof createWorkingLedger>

export function createWorkingLedger(stored: Snapshot) {
  const overlay = createOverlay()
  const changes: Changes = { accounts: overlay.accounts, orders: overlay.orders, entries: [], missing: [] }
  const current = withOverlay(stored, overlay)
  const account = (userId: string): Account => current.accounts.get(userId) ?? EMPTY_ACCOUNT
  return {
    /** What was recorded since the snapshot, and the windows that the snapshot does not know. */
    changes,
    account,
    profile: (userId: string) => current.profiles.get(userId),
    isPlayer: (userId: string) => current.profiles.has(userId),
    order: (orderId: string) => current.orders.get(orderId),
    price: (sku: string) => current.catalogue.get(sku),
    codeOwners: (code: string) => current.codes.get(code) ?? [],

    levelPointsIn(question: WindowQuestion): bigint {
      const sum = current.sums.get(windowKey(question))
      if (sum === undefined) changes.missing.push(question)
      const [from, to] = [Date.parse(question.from), Date.parse(question.to)]
      return (current.entriesOf.get(question.userId) ?? [])
        .filter(({ counts, order }) => counts && order?.id !== question.orderId)
        .filter(({ at }) => from < Date.parse(at) && Date.parse(at) <= to)
        .reduce((total, { points }) => total + points, sum ?? 0n)
    },

    /** Whether every account stays within what the wire can carry. */
    canPost(postings: readonly Posting[]): boolean {
      return postings.every(({ userId }) => {
        const after = postings.reduce(
          (so, posting) => (posting.userId === userId ? afterPosting(so, posting) : so),
          account(userId),
        )
        return fitsWire(after.points) && fitsWire(after.levelPoints)
      })
    },

    write(recorded: RecordedOrder, entries: readonly Omit<Entry, 'seq'>[]): void {
      const { id, userId, status } = recorded.order
      const before = account(userId)
      overlay.orders.set(id, recorded)
      overlay.accounts.set(userId, {
        ...before,
        orders: before.orders + (recorded.rev === 1n ? 1n : 0n),
        ...(before.firstOrderId === undefined && status === 'placed' ? { firstOrderId: id } : {}),
      })
      for (const entry of entries) {
        const after = afterPosting(account(entry.userId), entry)
        const numbered: Entry = { ...entry, seq: after.entries }
        overlay.accounts.set(entry.userId, after)
        changes.entries.push(numbered)
        addEntry(overlay, numbered)
      }
    },
  }
}

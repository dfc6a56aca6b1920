/*
 * An unknown COMMIT: it was sent, and its response never came. The transaction runs again (transaction.ts), and what it then finds may be its own
 * work: a token that it has itself revoked, or a version that it has itself published.
 */
import type { Db, Tx } from './transaction.ts'

/** A change that is to be made once, whatever becomes of the responses to COMMIT. */
export type OwnChange<T> = Readonly<{
  /** Makes the change, and returns its response. Runs once in each attempt. */
  change: (tx: Tx) => Promise<T>
  /**
   * Whether an earlier attempt has been committed: by a mark that was chosen before the first one, and that `change` leaves. An attempt may
   * still be committing, unseen by a plain SELECT, so this has to wait for a lock that it holds.
   */
  isCommitted: (tx: Tx) => Promise<boolean>
}>

/**
 * Makes a change in a transaction. A retry after an unknown COMMIT that was committed after all writes nothing, and returns what the attempt
 * returned: so what others have changed since stays as it is, and our own work is never mistaken for theirs ("not found", "already done").
 *
 * Errors: those of `change` and of the database; Unavailable if the outcome is still unknown at the deadline.
 */
export async function changeOnce<T>(
  db: Pick<Db, 'transaction'>,
  { change, isCommitted }: OwnChange<T>,
  deadlineAt: number,
): Promise<T> {
  // Of the last attempt that made the change. If one was committed, it is that one: each makes sure first that none was before it.
  let earlier: Readonly<{ response: T }> | undefined
  return db.transaction(async (tx) => {
    if (earlier !== undefined && tx.mayHaveCommitted && (await isCommitted(tx))) return earlier.response
    const response = await change(tx)
    earlier = { response }
    return response
  }, deadlineAt)
}

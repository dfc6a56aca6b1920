import { ClientGone } from '../../errors.ts'
import type { Db, Tx } from './transaction.ts'

/** How much of the work had been committed when it was abandoned. */
export type Abandonment = Readonly<{ slicesWritten: number; slices: number }>

/**
 * Wraps the database for one request's writes: once `isAbandoned` is true, nothing is started, retried or committed (decision 72).
 * `isAbandoned` is checked before each attempt and again just before its COMMIT; whatever the database already has can no longer be stopped.
 *
 * Errors  those of `Db`, and ClientGone, thrown after `onAbandoned` has been called with how much had been committed
 */
export function stopWritesOnDisconnect(
  db: Db,
  isAbandoned: () => boolean,
  onAbandoned: (abandonment: Abandonment) => void,
): Db {
  function check(abandonment: Abandonment): void {
    if (!isAbandoned()) return
    onAbandoned(abandonment)
    throw new ClientGone('client disconnected before processing')
  }
  async function guarded<T>(abandonment: Abandonment, work: () => Promise<T>): Promise<T> {
    check(abandonment)
    const response = await work()
    check(abandonment)
    return response
  }
  return {
    ...db,
    isAbandoned,
    transaction: (work, deadlineAt) => {
      const single = (tx: Tx, attempt: number) => guarded({ slicesWritten: 0, slices: 1 }, () => work(tx, attempt))
      return db.transaction(single, deadlineAt)
    },
    inSlices: (slices, work, deadlineAt, lockAll) => {
      const slicesBefore = (position: number) => (db.sliceCommit === 'each' ? position : 0)
      return db.inSlices(
        slices,
        (tx, slice, position) =>
          guarded({ slicesWritten: slicesBefore(position), slices: slices.length }, () => work(tx, slice, position)),
        deadlineAt,
        lockAll,
      )
    },
  }
}

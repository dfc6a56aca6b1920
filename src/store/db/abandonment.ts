import { ClientGone } from '../../errors.ts'
import type { Db, Tx } from './transaction.ts'

/** How much of the work was committed before it was given up. */
export type Abandonment = Readonly<{ slicesWritten: number; slices: number }>

/**
 * The database for the writes of one request: none is begun, tried again or committed once `isAbandoned` (decision 72). It is asked before
 * each run of the work and right before its COMMIT: what is sent to the database by then can no longer be prevented.
 *
 * Errors, beside those of `Db`: ClientGone, after `onAbandoned` was told how much had been committed
 */
export function whileWanted(db: Db, isAbandoned: () => boolean, onAbandoned: (abandonment: Abandonment) => void): Db {
  function check(abandonment: Abandonment): void {
    if (!isAbandoned()) return
    onAbandoned(abandonment)
    throw new ClientGone('the client left before its request was carried out')
  }
  async function guarded<T>(abandonment: Abandonment, work: () => Promise<T>): Promise<T> {
    check(abandonment)
    const answer = await work()
    check(abandonment)
    return answer
  }
  return {
    ...db,
    transaction: (work, deadlineAt) => {
      const single = (tx: Tx, attempt: number) => guarded({ slicesWritten: 0, slices: 1 }, () => work(tx, attempt))
      return db.transaction(single, deadlineAt)
    },
    inSlices: (slices, work, deadlineAt, lockAll) => {
      const writtenBefore = (position: number) => (db.sliceCommit === 'each' ? position : 0)
      return db.inSlices(
        slices,
        (tx, slice, position) =>
          guarded({ slicesWritten: writtenBefore(position), slices: slices.length }, () => work(tx, slice, position)),
        deadlineAt,
        lockAll,
      )
    },
  }
}

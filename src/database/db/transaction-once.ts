import { Unavailable } from '../../errors.ts'
import type { Db, Tx } from './transaction.ts'

/** What a transaction does that cannot run again once `work` has begun, as that uses up a stream; `lost` is the sentence if it would have to. */
type Once<T> = Readonly<{ prepare: (tx: Tx) => Promise<void>; work: (tx: Tx) => Promise<T>; lost: string }>

/** Runs a transaction in which `prepare`, such as waiting for locks, may run several times, and then `work` at most once. Errors: Unavailable. */
export async function transactionOnce<T>(
  db: Pick<Db, 'transaction'>,
  { prepare, work, lost }: Once<T>,
  deadlineAt: number,
): Promise<T> {
  let hasBegun = false
  return db.transaction(async (tx) => {
    if (hasBegun) throw new Unavailable(lost)
    await prepare(tx)
    hasBegun = true
    return work(tx)
  }, deadlineAt)
}

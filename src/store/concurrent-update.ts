/**
 * Another request has written what this one builds on, after it was read (optimistic concurrency). Its SQLSTATE is that of a failed
 * serialisation: the transaction is run again (db/failures.ts).
 */
export class ConcurrentUpdate extends Error {
  readonly code = '40001'
}

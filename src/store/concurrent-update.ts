/**
 * Another request has changed data that this one read and builds on (optimistic concurrency). Carries the SQLSTATE of a serialisation
 * failure, so that the transaction is run again (db/failures.ts).
 */
export class ConcurrentUpdate extends Error {
  readonly code = '40001'
}

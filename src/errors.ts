/*
 * The errors that callers can see. Every layer may import this file; it imports nothing.
 * server/error-replies.ts maps each to an HTTP status.
 */

/** An error of the caller, who is told its sentence. Collecting a stack, which nobody would see, takes most of the time of reading an invalid record. */
export class CallerError extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The caller sent something invalid. `path` says where, in the caller's own names: `data.products[1].qty` (decision 4). */
export class InvalidInput extends CallerError {
  readonly path: string
  /** What a rejected record is counted under: its sentence without any of the values sent. */
  readonly kind: string
  constructor(path: string, error: string, kind = 'other') {
    super(error)
    this.path = path
    this.kind = kind
  }
}

/** The caller sent more than a limit allows (decision 6). `path` as in InvalidInput. */
export class TooLarge extends InvalidInput {}

/** The token is missing, malformed, unknown, expired or revoked (the message never says which), or the one with the id `tokenId` lacks a scope. */
export class Unauthorized extends Error {
  readonly missing: Readonly<{ scope: string; tokenId: string }> | undefined
  constructor(message: string, missing?: Readonly<{ scope: string; tokenId: string }>) {
    super(message)
    this.missing = missing
  }
}

/** Nothing exists at this address, or under this name. */
export class NotFound extends Error {}

/** Someone else has changed what the caller is changing. `theirs` is its current state; `path` as in InvalidInput. */
export class Conflict extends Error {
  readonly path: string
  readonly theirs: unknown
  constructor(path: string, error: string, theirs: unknown) {
    super(error)
    this.path = path
    this.theirs = theirs
  }
}

/**
 * A valid redemption that the player's balance, or its own state, does not allow now. `available` is the points that can be spent; `path` as in
 * InvalidInput.
 */
export class NotRedeemable extends Error {
  readonly path: string
  readonly available: bigint
  constructor(path: string, error: string, available: bigint) {
    super(error)
    this.path = path
    this.available = available
  }
}

/** The request cannot be answered now, but may succeed later: the database is unavailable or busy, or a deadline has passed. */
export class Unavailable extends Error {
  readonly retryAfterS: number
  constructor(message: string, options: { retryAfterS?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterS = options.retryAfterS ?? 1
  }
}

/** The caller has used up a share that every token or address has (429). */
export class TooManyRequests extends Error {
  readonly retryAfterS: number
  constructor(message: string, retryAfterS: number) {
    super(message)
    this.retryAfterS = retryAfterS
  }
}

/** The client disconnected while its request was being read or processed. Nobody will read the response. */
export class ClientGone extends Error {}

/** The operator must act before anything can proceed: an invalid setting, a locked directory, a schema from a newer release. */
export class OperatorError extends Error {}

/** The data is damaged, or the embedded database has failed. Nothing was repaired and nothing more is written: the process must exit. */
export class DamagedData extends OperatorError {
  constructor(place: string, why: string, options: { cause?: unknown } = {}) {
    super(
      `the database ${place} is damaged or has failed (${why}). Nothing more was written. ` +
        'Before anything else, copy it as it is; then read docs/operating.md, "When the data is damaged".',
      options,
    )
  }
}

/*
 * What can go wrong for a caller. The only file that every layer may import; it imports nothing.
 * Which HTTP status each becomes stands in http/errors.ts.
 */

/** The caller sent something we cannot use. `path` says where, in the caller's own names: `data.products[1].qty` (decision 4). */
export class InvalidInput extends Error {
  readonly path: string
  constructor(path: string, error: string) {
    super(error)
    this.path = path
  }
}

/** The caller sent more than a limit allows (decision 6). `path` as in InvalidInput. */
export class TooLarge extends InvalidInput {}

/** The token is missing, malformed, unknown, expired or revoked (which of them is never said), or lacks the scope that is named. */
export class Unauthorized extends Error {
  readonly missingScope: string | undefined
  constructor(message: string, missingScope?: string) {
    super(message)
    this.missingScope = missingScope
  }
}

/** There is nothing at this address, or under this name. */
export class NotFound extends Error {}

/** Somebody else has changed in between what the caller changes. `theirs` is how it is now; `path` as in InvalidInput. */
export class Conflict extends Error {
  readonly path: string
  readonly theirs: unknown
  constructor(path: string, error: string, theirs: unknown) {
    super(error)
    this.path = path
    this.theirs = theirs
  }
}

/** A redemption that is sound, and that the player's points or its own state do not allow now. `available`: the points that can be spent; `path` as in InvalidInput. */
export class NotRedeemable extends Error {
  readonly path: string
  readonly available: bigint
  constructor(path: string, error: string, available: bigint) {
    super(error)
    this.path = path
    this.available = available
  }
}

/** We cannot answer now, but the same request can succeed later: the store is away, busy, or a deadline has passed. */
export class Unavailable extends Error {
  readonly retryAfterS: number
  constructor(message: string, options: { retryAfterS?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterS = options.retryAfterS ?? 1
  }
}

/** The client left, or broke off, while its request was read or worked on. Nobody reads the answer. */
export class ClientGone extends Error {}

/** The operator has to act before anything goes on: a wrong setting, a locked directory, a schema from a newer version. */
export class OperatorError extends Error {}

/** The data is damaged, or the embedded database has failed. Nothing was repaired, and nothing is written any more: the process has to end. */
export class DamagedData extends OperatorError {
  constructor(place: string, why: string, options: { cause?: unknown } = {}) {
    super(
      `the database ${place} is damaged or has failed (${why}). Nothing more was written. ` +
        'Before anything else, copy it as it is; then read docs/operating.md, "When the data is damaged".',
      options,
    )
  }
}

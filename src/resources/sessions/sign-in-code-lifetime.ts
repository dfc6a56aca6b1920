/*
 * A file of its own, because the command line loads it for every command (decision 145).
 */

/** How long a code signs in. */
export const SIGN_IN_CODE_LIFETIME_MS = 10 * 60_000
/** The same, in sentences. */
export const SIGN_IN_CODE_LIFETIME = 'ten minutes'

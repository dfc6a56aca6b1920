/*
 * All limits on the bodies of requests, in one place (decision 6): for each kind of route how many bytes and records, and how slowly they may
 * arrive; for every body how its JSON may be formed; for all bodies together how much memory they may take. `server/body/` enforces them.
 * What an operator may set comes from config.ts, as `Limits`.
 */
import { NESTING_MAX, VALUES_MAX, WIDTH_MAX } from '../engine/ingest/nesting.ts'

const KIB = 1_024
const MIB = 1_024 * KIB

/** The limits of decision 6 that an operator may set. The timeouts are for the response, from the last byte of the body. */
export type Limits = Readonly<{
  predictionBodyBytesMax: number
  predictionTimeoutMs: number
  upsertBodyBytesMax: number
  upsertTimeoutMs: number
  batchRecordsMax: number
  batchOrdersMax: number
}>

/** Limits on the body of a request. */
export type BodyLimits = Readonly<{
  /** Once decompressed. */
  bytesMax: number
  /** For all of it to arrive. */
  timeoutMs: number
  /** On average, since it began to arrive; 0: no minimum. */
  bytesPerSecondMin: number
  /** For how long at the beginning it may be slower; that of `BODY_PACE` if absent. */
  graceMs?: number
  /** The most records in a body that is a list. */
  recordsMax?: number
}>

export type ListBodyLimits = BodyLimits & Readonly<{ recordsMax: number }>

/** One small object, as for most routes of the API. */
export const OBJECT_BODY: BodyLimits = { bytesMax: 512 * KIB, timeoutMs: 10_000, bytesPerSecondMin: 0 }

/** A token or a code. Anybody may send it. */
export const SIGN_IN_BODY: BodyLimits = { bytesMax: 8 * KIB, timeoutMs: 10_000, bytesPerSecondMin: 0 }

/** One order to predict. Its token may stand in a web page: a body that does not come soon must give its memory back. */
export function predictionBody({ predictionBodyBytesMax }: Limits): BodyLimits {
  return { bytesMax: predictionBodyBytesMax, timeoutMs: 30_000, bytesPerSecondMin: 16 * KIB, graceMs: 5_000 }
}

/** A list of players, products or adjustments. */
export function recordsBody(limits: Limits): ListBodyLimits {
  return listBody(limits, limits.batchRecordsMax)
}

/** A list of orders, which take longer to write than other records. */
export function ordersBody(limits: Limits): ListBodyLimits {
  return listBody(limits, limits.batchOrdersMax)
}

function listBody({ upsertBodyBytesMax }: Limits, recordsMax: number): ListBodyLimits {
  return { bytesMax: upsertBodyBytesMax, timeoutMs: 10 * 60_000, bytesPerSecondMin: 64 * KIB, recordsMax }
}

/** How the pace of a body is measured: how often, and for how long at the beginning it may be slower than the minimum. */
export const BODY_PACE = { checkMs: 1_000, graceMs: 10_000 } as const

/** The form of every body: levels of nesting, values in total, and elements of any list or keys of any object but the list of records. */
export const BODY_FORM = { nestingMax: NESTING_MAX, valuesMax: VALUES_MAX, widthMax: WIDTH_MAX } as const

/**
 * The memory for all bodies, beside the bytes that an operator sets. Bodies up to `smallBytesMax`, such as a prediction's, have a share of
 * their own on top: large ones that arrive slowly must not hold them up. The small bodies of one token, and its large ones, may take `tokenShare`
 * of it; those from one address, whatever their tokens, `addressShare`. One address must not use up the small bodies of a token that many use. A
 * proxy that is not trusted is one address: its share still has room for 96 predictions of the largest size at a time. Large bodies wait for
 * their turn, and who uploads has a secret token. A body that arrives slowly reserves what would arrive in `aheadS` seconds. Up to `waitingMax`
 * bodies wait for memory, of one token or address `waitingOfClientMax`, each for at most `waitMs`; each already holds what has arrived unread,
 * some 100 kB.
 */
export const BODY_MEMORY = {
  smallBytesMax: 256 * KIB,
  smallShare: 1 / 16,
  tokenShare: { small: 1 / 2, large: 1 / 2 },
  addressShare: { small: 1 / 8, large: 1 / 2 },
  aheadS: 16,
  waitingMax: 500,
  waitingOfClientMax: 100,
  waitMs: 30_000,
} as const

/** The rest of a body that was refused is read and discarded, so that its sender gets the response: so much of it, for so long (decision 74). */
export const DISCARDED_BODY = { bytesMax: 100 * MIB, timeoutMs: 10_000 } as const

/** How long a connection is still read after a request whose body is missing: it may come without having been announced. */
export const UNANNOUNCED_BODY = { timeoutMs: 250 } as const

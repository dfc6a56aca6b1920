/*
 * What a database failure means, as a table. Pure; transaction.ts acts on it.
 */

/** How often a failure is tried again: the delay starts at `firstMs`, doubles, and is drawn between 0 and itself (full jitter). */
export interface Retry {
  readonly firstMs: number
  /** How many times; beyond that, and beyond `withinMs` after the first failure of this kind, the caller is told. */
  readonly times: number
  readonly withinMs: number
}

/** What the caller gets when no retry is left: 503, the error itself (500), or an OperatorError. */
export type FailureResponse = 'unavailable' | 'as-it-is' | 'operator'

export interface Failure {
  readonly kind: FailureKind
  /** Absent: never tried again before COMMIT was sent. */
  readonly retry?: Retry
  /** With COMMIT sent, this failure leaves its outcome unknown. Writes are upserts of states, so the work is run again. */
  readonly unknownAtCommit: boolean
  /** The session cannot be used again. */
  readonly sessionLost: boolean
  readonly answer: FailureResponse
  /** One sentence for the caller of a 503. */
  readonly sentence: string
  /** Seconds until it is worth asking again. */
  readonly retryAfterS: number
}

export type FailureKind = keyof typeof FAILURES

const UNTIL_DEADLINE: Retry = { firstMs: 100, times: Number.POSITIVE_INFINITY, withinMs: Number.POSITIVE_INFINITY }

/** How an outcome unknown at COMMIT is tried again, whatever the failure's own rule says. */
export const RETRY_AT_COMMIT: Retry = UNTIL_DEADLINE

interface Row {
  readonly retry?: Retry
  readonly unknownAtCommit?: true
  readonly sessionLost?: true
  readonly answer?: FailureResponse
  readonly sentence?: string
  readonly retryAfterS?: number
}

const FAILURES = {
  unreachable: {
    retry: UNTIL_DEADLINE,
    unknownAtCommit: true,
    sessionLost: true,
    sentence: 'the database cannot be reached',
    retryAfterS: 2,
  },
  lost: {
    retry: UNTIL_DEADLINE,
    unknownAtCommit: true,
    sessionLost: true,
    sentence: 'the connection to the database was lost',
  },
  'read-only': {
    retry: UNTIL_DEADLINE,
    sessionLost: true,
    sentence: 'the database takes no writes at the moment',
    retryAfterS: 2,
  },
  conflict: { retry: { firstMs: 10, times: 5, withinMs: 2000 }, sentence: 'other requests write the same records' },
  'lock-wait': {
    retry: { firstMs: 10, times: 2, withinMs: Number.POSITIVE_INFINITY },
    sentence: 'other requests hold the same records',
  },
  timeout: { unknownAtCommit: true, sentence: 'the database did not answer in time' },
  'not-replicated': { unknownAtCommit: true, sentence: 'the write did not reach the standby database' },
  busy: { retry: UNTIL_DEADLINE, sessionLost: true, sentence: 'the database is busy', retryAfterS: 2 },
  disk: { sentence: 'the database cannot write to its disk', retryAfterS: 10 },
  data: { answer: 'as-it-is' },
  ours: { answer: 'as-it-is' },
  refused: { sessionLost: true, answer: 'operator' },
  tls: {
    sessionLost: true,
    sentence: 'the database cannot be reached over TLS as DATABASE_URL asks for',
    retryAfterS: 10,
  },
  damaged: { sessionLost: true, answer: 'as-it-is' },
} as const satisfies Record<string, Row>

/** SQLSTATEs, or their first characters; the longest one that fits decides. */
const kindOfSqlState: Readonly<Record<string, FailureKind>> = {
  '08': 'lost',
  '08001': 'unreachable',
  '08004': 'unreachable',
  '08P01': 'refused', // A pooler in between does not know one of our connection options.
  '0A000': 'ours',
  21000: 'ours',
  22: 'data',
  23: 'data',
  25006: 'read-only',
  '25P02': 'ours',
  '25P03': 'lost', // The server ended a session that was idle inside a transaction.
  '25P04': 'timeout',
  28: 'refused',
  '3D000': 'refused',
  40001: 'conflict',
  '40P01': 'conflict',
  42: 'ours',
  42501: 'refused',
  53: 'busy',
  53100: 'disk',
  53300: 'busy',
  53400: 'busy',
  '55P03': 'lock-wait',
  57014: 'timeout',
  '57P': 'lost',
  '57P03': 'unreachable',
  58030: 'disk',
  XX001: 'damaged',
  XX002: 'damaged',
}

const UNIQUE_VIOLATION = '23505'

/** Whether a statement failed because a key is there already. */
export function isUniqueViolation(thrown: unknown): boolean {
  return field(thrown, 'code') === UNIQUE_VIOLATION
}

/** A COMMIT that was acknowledged without the standby's answer; the drivers throw it, for the server itself only warns. */
export class NotReplicated extends Error {}

/**
 * The row of the table that a thrown value belongs to.
 *
 * Errors that carry no SQLSTATE are known by the system call that failed or by the words of the `pg` library.
 * Everything unknown is `ours`: never tried again, thrown as it is.
 */
export function failureOf(thrown: unknown): Failure {
  const kind = kindOf(thrown)
  const row: Row = FAILURES[kind]
  const severity = field(thrown, 'severity')
  return {
    kind,
    ...(row.retry && { retry: row.retry }),
    unknownAtCommit: row.unknownAtCommit ?? false,
    sessionLost: row.sessionLost ?? (severity === 'FATAL' || severity === 'PANIC'),
    answer: row.answer ?? 'unavailable',
    sentence: row.sentence ?? 'the database failed',
    retryAfterS: row.retryAfterS ?? 1,
  }
}

function kindOf(thrown: unknown): FailureKind {
  if (!(thrown instanceof Error)) return 'ours'
  if (thrown instanceof NotReplicated) return 'not-replicated'
  return kindByState(field(thrown, 'code')) ?? kindBySystemCall(thrown) ?? kindByWords(thrown) ?? 'ours'
}

function kindByState(code: string): FailureKind | undefined {
  // EPIPE and its kin have five capital letters as well; a SQLSTATE of letters alone does not exist.
  if (!/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return undefined
  return kindOfSqlState[code] ?? kindOfSqlState[code.slice(0, 3)] ?? kindOfSqlState[code.slice(0, 2)]
}

function kindBySystemCall(error: Error): FailureKind | undefined {
  const call = field(error, 'syscall') || field(firstOf(error), 'syscall')
  if (call === 'connect' || call === 'getaddrinfo') return 'unreachable'
  const code = field(error, 'code')
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT') return 'lost'
  if (TLS_ERRORS.test(code)) return 'tls'
  return undefined
}

/** What Node and OpenSSL say of a handshake that failed, or of a certificate that is not trusted. */
const TLS_ERRORS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|UNABLE_TO_)/

const MESSAGES: readonly (readonly [RegExp, FailureKind])[] = [
  [/^Aborted\(/, 'damaged'],
  [/^The server does not support SSL connections/, 'tls'],
  [/^Connection terminated due to connection timeout|^timeout expired/, 'unreachable'],
  [/^Connection terminated|^Client (was closed|has encountered a connection error)/, 'lost'],
  [/^timeout exceeded when trying to connect/, 'busy'],
]

function kindByWords(error: Error): FailureKind | undefined {
  if (error.name === 'RuntimeError') return 'damaged' // A trap of WebAssembly: the embedded database has stopped.
  return MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1]
}

// A name with several addresses fails as one AggregateError of all attempts.
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : undefined
}

function field(thrown: unknown, name: string): string {
  if (typeof thrown !== 'object' || thrown === null) return ''
  const value = (thrown as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

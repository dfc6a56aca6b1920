/*
 * What a database failure means, as a table. Pure; transaction.ts acts on it.
 */

/** How a failure is retried: the maximum delay starts at `firstMs` and doubles; the actual delay is drawn between 0 and it (full jitter). */
export interface Retry {
  readonly firstMs: number
  /** Retries at most; after these, or `withinMs` after the first failure of this kind, the caller gets the error. */
  readonly times: number
  readonly withinMs: number
}

/** What the caller gets when no retries are left: a 503, the error itself (500), or an OperatorError. */
export type FailureResponse = 'unavailable' | 'as-it-is' | 'operator'

export interface Failure {
  readonly kind: FailureKind
  /** Absent: not retried if it fails before COMMIT is sent. */
  readonly retry?: Retry
  /** After COMMIT was sent, this failure leaves its outcome unknown. Writes are upserts of states, so the work is run again. */
  readonly unknownAtCommit: boolean
  /** The session cannot be used again. */
  readonly sessionLost: boolean
  readonly response: FailureResponse
  /** The text of the 503. */
  readonly sentence: string
  /** What the operator gets to read after what the server said. */
  readonly advice: string
  /** Seconds until a retry by the client is worthwhile. */
  readonly retryAfterS: number
}

export type FailureKind = keyof typeof FAILURES

const UNTIL_DEADLINE: Retry = { firstMs: 100, times: Number.POSITIVE_INFINITY, withinMs: Number.POSITIVE_INFINITY }

/** How a COMMIT of unknown outcome is retried, whatever the failure's own rule says. */
export const RETRY_AT_COMMIT: Retry = UNTIL_DEADLINE

/** The text of the 503 at the deadline of a request. */
export const DEADLINE_SENTENCE = 'database timeout'

interface Row {
  readonly retry?: Retry
  readonly unknownAtCommit?: true
  readonly sessionLost?: true
  readonly response?: FailureResponse
  readonly sentence?: string
  readonly advice?: string
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
    sentence: 'the database is read-only',
    retryAfterS: 2,
  },
  conflict: { retry: { firstMs: 10, times: 5, withinMs: 2000 }, sentence: 'other requests write the same records' },
  'lock-wait': {
    retry: { firstMs: 10, times: 2, withinMs: Number.POSITIVE_INFINITY },
    sentence: 'other requests have locked the same records',
  },
  timeout: { unknownAtCommit: true, sentence: DEADLINE_SENTENCE },
  'not-replicated': { unknownAtCommit: true, sentence: 'the write did not reach the standby database' },
  busy: { retry: UNTIL_DEADLINE, sessionLost: true, sentence: 'the database is busy', retryAfterS: 2 },
  disk: { sentence: 'the database cannot write to its disk', retryAfterS: 10 },
  data: { response: 'as-it-is' },
  ours: { response: 'as-it-is' },
  refused: { sessionLost: true, response: 'operator' },
  login: {
    sessionLost: true,
    response: 'operator',
    advice: '; check user and password in DATABASE_URL, or PGUSER and PGPASSWORD',
  },
  denied: {
    sessionLost: true,
    response: 'operator',
    advice:
      '; run laurel migrate as the owner of the tables, and grant this user select, insert, update and delete on them',
  },
  tls: {
    sessionLost: true,
    sentence: 'TLS connection to the database failed (see sslmode in DATABASE_URL)',
    retryAfterS: 10,
  },
  certificate: {
    sessionLost: true,
    sentence:
      'the certificate of the database server cannot be verified: check sslmode and sslrootcert in DATABASE_URL',
    retryAfterS: 10,
  },
  damaged: { sessionLost: true, response: 'as-it-is' },
} as const satisfies Record<string, Row>

/** SQLSTATEs or prefixes of them; the longest match decides. */
const kindOfSqlState: Readonly<Record<string, FailureKind>> = {
  '08': 'lost',
  '08001': 'unreachable',
  '08004': 'unreachable',
  '08P01': 'unreachable', // A pooler that has lost its server.
  '0A000': 'ours',
  21000: 'ours',
  22: 'data',
  23: 'data',
  25006: 'read-only',
  '25P02': 'ours',
  '25P03': 'lost', // The server ended a session that was idle inside a transaction.
  '25P04': 'timeout',
  26000: 'lost', // A pooler or an operator has discarded our prepared statements.
  28: 'login',
  '3D000': 'refused',
  40001: 'conflict',
  '40P01': 'conflict',
  42: 'ours',
  42501: 'denied',
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
const INTERNAL_ERROR = 'XX000'

/** Whether a statement failed because a key already exists. A cluster (Citus) keeps only the words of what a COPY met on another server. */
export function isUniqueViolation(thrown: unknown): boolean {
  const code = field(thrown, 'code')
  return code === UNIQUE_VIOLATION || (code === INTERNAL_ERROR && /"\w+_\d+"/.test(field(thrown, 'message')))
}

/** Whether the database itself reported this, rather than a driver or our own code. */
export function hasSqlState(thrown: unknown): thrown is Error {
  return thrown instanceof Error && isSqlState(field(thrown, 'code'))
}

/**
 * Another request has changed data that this one read and builds on (optimistic concurrency). Thrown inside the work of a transaction, which is
 * then run again.
 */
export class ConcurrentUpdate extends Error {}

/** A COMMIT acknowledged without confirmation from the standby. The drivers throw it, because the server itself only warns. */
export class NotReplicated extends Error {}

/**
 * Classifies a thrown value.
 *
 * Errors without a SQLSTATE are recognised by the system call that failed or by the message text of the `pg` library.
 * Anything unknown is `ours`: never retried, thrown as it is.
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
    response: row.response ?? 'unavailable',
    sentence: row.sentence ?? 'the database failed',
    advice: row.advice ?? '',
    retryAfterS: row.retryAfterS ?? 1,
  }
}

function kindOf(thrown: unknown): FailureKind {
  if (!(thrown instanceof Error)) return 'ours'
  if (thrown instanceof ConcurrentUpdate) return 'conflict'
  if (thrown instanceof NotReplicated) return 'not-replicated'
  if (field(thrown, 'code') === '08P01' && POOLER_REFUSALS.test(thrown.message)) return 'refused'
  if (field(thrown, 'code') === '08P01' && POOLER_LOGINS.test(thrown.message)) return 'login'
  if (field(thrown, 'code') === '58030' && LOST_COPY.test(thrown.message)) return 'lost'
  return kindByState(field(thrown, 'code')) ?? kindBySystemCall(thrown) ?? kindByMessage(thrown) ?? 'ours'
}

/** The coordinator of a cluster has lost another server while it sent rows. */
const LOST_COPY = /^failed to (?:complete )?COPY (?:to|on)/

// Codes like EPIPE are five capital letters as well, but no SQLSTATE consists of letters alone.
function isSqlState(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code)
}

/** What a pooler refuses, however often it is asked. */
const POOLER_REFUSALS = /^(?:unsupported startup parameter|no such (?:database|user)|SSL required)/
const POOLER_LOGINS = /^(?:SASL|password|certificate) authentication failed/

function kindByState(code: string): FailureKind | undefined {
  if (!isSqlState(code)) return undefined
  return kindOfSqlState[code] ?? kindOfSqlState[code.slice(0, 3)] ?? kindOfSqlState[code.slice(0, 2)]
}

function kindBySystemCall(error: Error): FailureKind | undefined {
  const call = field(error, 'syscall') || field(firstOf(error), 'syscall')
  if (call === 'connect' || call === 'getaddrinfo') return 'unreachable'
  const code = field(error, 'code')
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT') return 'lost'
  if (CERTIFICATE_ERRORS.test(code)) return 'certificate'
  if (TLS_ERRORS.test(code)) return 'tls'
  return undefined
}

/** Node's and OpenSSL's codes for an untrusted certificate, or one for another host. */
const CERTIFICATE_ERRORS = /^(?:ERR_TLS_CERT_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|UNABLE_TO_)/
/** Their codes for a failed handshake. */
const TLS_ERRORS = /^(?:ERR_TLS_|ERR_SSL_)/

const MESSAGES: readonly (readonly [RegExp, FailureKind])[] = [
  [/^Aborted\(/, 'damaged'],
  [/^The server does not support SSL connections/, 'tls'],
  [/^SASL: .*password/, 'login'],
  [/^Connection terminated due to connection timeout|^timeout expired/, 'unreachable'],
  [/^Connection terminated|^Client (was closed|has encountered a connection error)/, 'lost'],
  [/^timeout exceeded when trying to connect/, 'busy'],
  // What the coordinator of a cluster says of its other servers, without an SQLSTATE that tells.
  [
    /^server closed the connection|^connection not open|^no connection to the server|^SSL SYSCALL|terminating connection/,
    'lost',
  ],
  [/^could not (?:receive data from|send data to) server|^failure on connection marked as essential/, 'lost'],
  // The same of a COPY that waited for somebody else's rows.
  [/^canceling statement due to lock timeout/, 'lock-wait'],
  [/^deadlock detected/, 'conflict'],
  [/^postmaster was shut down/, 'lost'], // The coordinator, to the sessions that it ends.
  // At COMMIT: where one server took part, it may have committed.
  [/^could not commit transaction for shard|^failed to prepare transaction/, 'lost'],
]

function kindByMessage(error: Error): FailureKind | undefined {
  if (error.name === 'RuntimeError') return 'damaged' // A WebAssembly trap: the embedded database has stopped.
  return MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1]
}

// A host name with several addresses fails with one AggregateError for all attempts.
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : undefined
}

function field(thrown: unknown, name: string): string {
  if (typeof thrown !== 'object' || thrown === null) return ''
  const value = (thrown as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

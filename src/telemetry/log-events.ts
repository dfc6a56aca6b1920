import type { LOG_LEVELS } from './log-settings.ts'
import type { Observation } from './observation.ts'

export type LogLevel = Exclude<(typeof LOG_LEVELS)[number], 'fatal' | 'silent'>

type LogEvent = Readonly<{
  level: LogLevel
  /** For responses with status 500 or higher. */
  levelOfFailure?: LogLevel
  /** It is the line of one request, which LOG_REQUESTS raises to info. */
  isRequest?: true
  /** When the line is written, in Markdown; `npm run documents` writes it into docs/operating.md. */
  about: string
}>

const CHANGED_PROGRAM: LogEvent = { level: 'info', about: 'a program version was published or withdrawn, and by whom' }
const COUNTED: LogEvent = { level: 'debug', about: 'what the metrics of predictions and points count' }

/** Every kind of log line, in the order in which the documents list them. */
export const LOG_EVENTS: Readonly<Record<Observation['kind'], LogEvent>> = {
  'database-creating': { level: 'info', about: 'a first start creates its database' },
  'database-migrating': {
    level: 'info',
    about: 'the schema is migrated before the start, `from` a version `to` another',
  },
  'database-copied': {
    level: 'info',
    about: 'the embedded database was copied before it is migrated, and where to',
  },
  'database-newer': { level: 'info', about: 'a newer release has migrated the database; this one can still use it' },
  'memory-low': { level: 'warn', about: 'the process may use less memory than the embedded database needs' },
  'service-started': { level: 'info', about: 'address, database, number of workers' },
  'service-stopping': { level: 'info', about: 'shutdown begins, with the reason' },
  'service-stopped': { level: 'info', about: 'shutdown is complete' },
  'service-crashed': { level: 'error', about: 'the service ends with exit code 70, with the cause' },
  'request-answered': {
    level: 'debug',
    levelOfFailure: 'warn',
    isRequest: true,
    about: 'a request, with route, status, duration, token ID and `traceparent`; info with `LOG_REQUESTS=on`',
  },
  'request-abandoned': { level: 'info', about: 'a client disconnected early; how much was committed by then' },
  'request-refused': {
    level: 'debug',
    isRequest: true,
    about: 'a prediction was refused under load; info with `LOG_REQUESTS=on`',
  },
  'requests-refused': { level: 'warn', about: 'number of predictions refused under load; at most once a second' },
  'request-failed': { level: 'error', about: 'a bug in Laurel, with the cause' },
  'database-failed': {
    level: 'warn',
    about: 'a 503 because the database failed, with the cause; at most once a second for each error code',
  },
  'store-retried': { level: 'warn', about: 'database work is retried, with the reason' },
  'refresh-failed': { level: 'warn', about: 'tokens, sessions, programs or shop settings could not be reloaded' },
  'token-refused': { level: 'warn', about: 'an invalid token, with its address' },
  'scope-refused': { level: 'warn', about: 'a token without the required scope, with its address' },
  'tokens-changed': { level: 'info', about: 'a token was created, rotated or revoked, and by whom' },
  'settings-changed': { level: 'info', about: 'shop settings were changed, and by whom; `null`: back to the default' },
  'program-published': CHANGED_PROGRAM,
  'program-withdrawn': CHANGED_PROGRAM,
  'player-revealed': { level: 'info', about: 'personal data of a player was shown, and to whom' },
  'job-revealed': { level: 'info', about: 'the result of a job was shown unmasked, and to whom' },
  'job-ended': {
    level: 'info',
    about: 'a job ended; `pauseMs`: how long the copy of the embedded database delayed other requests',
  },
  'job-failed': { level: 'warn', about: 'a bug in a job, or no database' },
  'batch-upserted': { level: 'info', about: 'an upsert, with its counts' },
  'statistics-failed': { level: 'warn', about: 'statistics could not be written yet; nothing exact is lost' },
  'erasures-failed': {
    level: 'warn',
    about: 'players without activity could not be erased yet, with the cause; tried again within the hour',
  },
  'audit-log-failed': { level: 'warn', about: 'old entries of the audit log could not be deleted yet' },
  'prediction-log-failed': {
    level: 'warn',
    about: 'predictions could not be stored or deleted; logged once until it works again',
  },
  'order-predicted': COUNTED,
  'ledger-written': COUNTED,
  'redemptions-written': COUNTED,
  'redemptions-refused': COUNTED,
  'balances-summed': COUNTED,
  'outstanding-summed': COUNTED,
  'backup-found': COUNTED,
  'predictions-kept': COUNTED,
  'predictions-compared': COUNTED,
  'predictions-differed': COUNTED,
}

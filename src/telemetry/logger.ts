import { type Logger, type LoggerOptions, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { LOG_EVENTS, type LogLevel } from './log-events.ts'
import type { LogOutput } from './log-output.ts'
import type { LogSettings } from './log-settings.ts'
import type { Observation, Observe } from './observation.ts'

/** A logger of JSON lines, or of human-readable lines on a terminal. */
export function createLogger({ level, format, worker }: LogSettings, output: Pick<LogOutput, 'write'>): Logger {
  const forPeople = format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true)
  return pino(logOptions(level, worker), forPeople ? prettyOutput(output) : output)
}

function prettyOutput({ write }: Pick<LogOutput, 'write'>): Pick<LogOutput, 'write'> {
  const pretty = prettyFactory({ colorize: showsColours(), ignore: 'pid,hostname' })
  return { write: (line) => write(pretty(line)) }
}

/** Node honours NO_COLOR and the like. */
function showsColours(): boolean {
  return process.stdout.isTTY === true && process.stdout.hasColors()
}

/** How pino formats log lines, independent of where they are written. */
export function logOptions(level: LogSettings['level'], worker?: number): LoggerOptions {
  return {
    level,
    base: worker === undefined ? null : { worker },
    serializers: { error: describeError },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
}

/**
 * Turns observations into log lines; those of the database failing at most one a second for each of its error codes. With `showsRequests`, every
 * request has a line of level info.
 */
export function logObservations(logger: Logger, showsRequests = false): Observe {
  const isRepeated = createRepetitions()
  return (observation) => {
    if (observation.kind === 'database-failed' && isRepeated(String(codeOf(observation.error)))) return
    const level = levelOf(observation, showsRequests)
    // The level of most observations is disabled.
    if (!logger.isLevelEnabled(level)) return
    const { kind, ...fields } = observation
    logger[level](fields, kind)
  }
}

const REPEATED_MS = 1_000

/** Whether something has happened within the second before: while a database is away, every request says so. */
function createRepetitions(): (what: string) => boolean {
  const recent = new Set<string>()
  return (what) => {
    if (recent.has(what)) return true
    recent.add(what)
    setTimeout(() => recent.delete(what), REPEATED_MS).unref()
    return false
  }
}

function levelOf(observation: Observation, showsRequests: boolean): LogLevel {
  const { level: usual, levelOfFailure, isRequest } = LOG_EVENTS[observation.kind]
  const level = isRequest && showsRequests ? 'info' : usual
  return 'status' in observation && observation.status >= 500 ? (levelOfFailure ?? level) : level
}

/**
 * An error in a form that may be logged. Databases put the offending values into `detail` and, for data errors (SQLSTATE classes 22
 * and 23), into the message too; these may be personal data.
 */
function describeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return { type: typeof thrown }
  const code = codeOf(thrown)
  const frames = (thrown.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  const holdsValues = code !== undefined && /^2[23][0-9A-Z]{3}$/.test(code)
  return {
    type: thrown.name,
    code,
    message: holdsValues ? 'the database refused a value' : thrown.message,
    stack: frames.join('\n'),
    ...(thrown.cause !== undefined && { cause: describeError(thrown.cause) }),
  }
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/*
 * Every setting: its environment variable, default, unit and expected values. Read once, when a command starts.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { OperatorError } from './errors.ts'
import { isWholeToken } from './resources/tokens/token-text.ts'
import { LOG_FORMATS, LOG_LEVELS } from './telemetry/log-settings.ts'

type Setting<T> = Readonly<{
  env: string
  /** Its deprecated former name (decision 219). */
  formerly?: string
  fallback: T
  unit: string
  about: string
  /** Parses the value; undefined if it is invalid. */
  read: (text: string) => T | undefined
  expected: string
  /** The bounds of a number. */
  range?: readonly [min: number, max: number]
  /** The only values. */
  words?: readonly string[]
  /** The value must never be printed. */
  secret?: true
  /** The value may stand in a file, which the same name with `_FILE` names. It is read with the other settings. */
  inFile?: true
}>

const whole = (
  env: string,
  fallback: number,
  unit: string,
  about: string,
  [min, max]: readonly [number, number],
): Setting<number> => ({
  env,
  fallback,
  unit,
  about,
  expected: `an integer between ${min} and ${max}`,
  range: [min, max],
  read: (text) => (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
})

const text = (env: string, fallback: string, unit: string, about: string): Setting<string> => ({
  env,
  fallback,
  unit,
  about,
  expected: 'a non-empty string',
  read: (value) => (value.trim() === '' ? undefined : value),
})

const oneOf = <const Words extends readonly string[]>(
  env: string,
  fallback: Words[number],
  about: string,
  words: Words,
): Setting<Words[number]> => ({
  env,
  fallback,
  unit: 'word',
  about,
  expected: `one of ${words.join(', ')}`,
  words,
  read: (value) => words.find((word) => word === value),
})

/** An address, or a network like `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return more.length === 0 && bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

const MIB = 1024 * 1024

export const SETTINGS = {
  host: text('HOST', '127.0.0.1', 'address', 'address to listen on; 0.0.0.0: all interfaces'),
  port: whole('PORT', 8080, 'port', 'port to listen on; 0: any free port', [0, 65_535]),
  workers: whole('WORKERS', 1, 'processes', 'worker processes; more than 1 needs PostgreSQL', [1, 64]),
  console: oneOf('CONSOLE', 'on', 'serve the console at /console', ['on', 'off']),
  consolePort: {
    env: 'CONSOLE_PORT',
    fallback: undefined,
    unit: 'port',
    about: 'separate console port (default: PORT)',
    expected: 'an integer between 0 and 65535',
    range: [0, 65_535],
    read: (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined),
  } as Setting<number | undefined>,
  dataDirectory: text('LAUREL_DATA', './data', 'path', 'directory of the embedded database and of the initial token'),
  databaseUrl: {
    env: 'DATABASE_URL',
    fallback: undefined,
    unit: 'URL',
    about: 'a PostgreSQL server (15 to 18) instead of the embedded database',
    expected: 'a URL like postgres://user:password@host:5432/database',
    // One line: the rest would be read as part of the name of the database, which the server repeats.
    read: (value) => (/^postgres(?:ql)?:\/\/.*$/.test(value.trim()) ? value.trim() : undefined),
    secret: true,
    inFile: true,
  } as Setting<string | undefined>,
  databasePoolMax: whole('DATABASE_POOL_MAX', 10, 'connections', 'connections to the PostgreSQL server', [2, 1_000]),
  token: {
    env: 'LAUREL_TOKEN',
    fallback: undefined,
    unit: 'token',
    about: 'token for commands that call a running service (default: the one in LAUREL_DATA/token)',
    expected: 'a token as `laurel token create` shows it',
    read: (value) => value.trim(),
    secret: true,
    inFile: true,
  } as Setting<string | undefined>,
  firstToken: {
    env: 'LAUREL_FIRST_TOKEN',
    fallback: undefined,
    unit: 'token',
    about: 'initial admin token of a new database (default: generated in LAUREL_DATA/token)',
    expected: 'a token as `laurel token create` shows it',
    read: (value) => (isWholeToken(value.trim()) ? value.trim() : undefined),
    secret: true,
  } as Setting<string | undefined>,
  firstTokenFile: {
    env: 'LAUREL_FIRST_TOKEN_FILE',
    fallback: undefined,
    unit: 'path',
    about: 'file with that token; read only at the first start',
    expected: 'a path',
    read: (value) => value,
  } as Setting<string | undefined>,
  erasureKey: {
    env: 'LAUREL_ERASURE_KEY',
    fallback: undefined,
    unit: 'text',
    about: 'secret with which erased player IDs are recognised (default: generated in LAUREL_DATA/erasure-key)',
    expected: 'at least 32 characters',
    read: (value) => (value.trim().length >= 32 ? value.trim() : undefined),
    secret: true,
    inFile: true,
  } as Setting<string | undefined>,
  logLevel: oneOf('LOG_LEVEL', 'info', 'minimum level of the log', LOG_LEVELS),
  logFormat: oneOf('LOG_FORMAT', 'auto', 'auto: readable lines on a terminal, JSON elsewhere', LOG_FORMATS),
  logRequests: oneOf('LOG_REQUESTS', 'off', 'log every request, at level info', ['on', 'off']),
  predictionBodyBytesMax: whole('PREDICTION_BODY_BYTES_MAX', MIB / 4, 'bytes', 'maximum body of a prediction', [
    1_024,
    16 * MIB,
  ]),
  predictionTimeoutMs: whole(
    'PREDICTION_TIMEOUT_MS',
    2_000,
    'ms',
    'timeout of a prediction, from the last byte of its request',
    [100, 60_000],
  ),
  upsertBodyBytesMax: whole('UPSERT_BODY_BYTES_MAX', 96 * MIB, 'bytes', 'maximum body of an upsert', [
    1_024,
    256 * MIB,
  ]),
  upsertTimeoutMs: whole(
    'UPSERT_TIMEOUT_MS',
    30_000,
    'ms',
    'timeout of an upsert, from the last byte of its request',
    [1_000, 600_000],
  ),
  batchRecordsMax: whole('BATCH_RECORDS_MAX', 250_000, 'records', 'maximum records per upsert', [1, 1_000_000]),
  batchOrdersMax: whole('BATCH_ORDERS_MAX', 25_000, 'orders', 'maximum orders per request', [1, 1_000_000]),
  heldBytesMax: whole('BODIES_BYTES_MAX', 192 * MIB, 'bytes', 'maximum memory for request bodies, over all requests', [
    MIB,
    64 * 1024 * MIB,
  ]),
  stopDelayMs: whole(
    'STOP_DELAY_MS',
    5_000,
    'ms',
    'time from SIGTERM until the port closes, while /readyz returns 503',
    [0, 600_000],
  ),
  connectionsMax: whole('CONNECTIONS_MAX', 10_000, 'connections', 'maximum concurrent connections', [1, 1_000_000]),
  predictionsKeptDays: {
    ...whole(
      'PREDICTIONS_RETENTION_DAYS',
      90,
      'days',
      'retention of predictions for statistics; 0: none are stored',
      [0, 3_650],
    ),
    formerly: 'PREDICTIONS_KEPT_DAYS',
  },
  corsOrigins: {
    env: 'CORS_ORIGINS',
    fallback: [],
    unit: 'origins',
    about: 'comma-separated origins whose pages may call the service from a browser',
    expected: 'comma-separated origins like https://shop.example',
    read: (value) => {
      const origins = value.split(',').map((one) => one.trim())
      return origins.every(isOrigin) ? origins : undefined
    },
  } as Setting<readonly string[]>,
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    fallback: [],
    unit: 'addresses',
    about: 'comma-separated addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted',
    expected: 'comma-separated addresses or networks like 10.0.0.5 or 10.0.0.0/8',
    read: (value) => {
      const addresses = value.split(',').map((one) => one.trim())
      return addresses.every(isNetwork) ? addresses : undefined
    },
  } as Setting<readonly string[]>,
} as const

type Value<S> = S extends Setting<infer T> ? T : never

/** All settings, read and checked. */
export type Config = { readonly [Name in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[Name]> }

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads every setting from an environment; the options of a command take precedence.
 * Errors: OperatorError that names the first invalid setting and what is expected.
 */
export function readConfig(environment: Environment = process.env, options: Environment = {}): Config {
  const variables = { ...environment, ...withoutAbsent(options) }
  const read = Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, setting]) => {
    const { env, raw, file } = findRaw(setting, variables)
    if (raw === undefined) return [name, setting.fallback]
    const value = setting.read(raw)
    if (value !== undefined) return [name, value]
    const shown = file === undefined ? (setting.secret ? 'set to something else' : `"${raw}"`) : `"${file}"`
    throw new OperatorError(
      `${env} is ${shown}, expected ${file === undefined ? '' : 'a file with '}${setting.expected}`,
    )
  })
  return Object.freeze(Object.fromEntries(read)) as Config
}

function withoutAbsent(options: Environment): Environment {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** What is written for a setting, under which name, and in which file. */
type RawSetting = Readonly<{ env: string; raw?: string | undefined; file?: string | undefined }>

/**
 * The former name counts only where that of today is not set, or is empty; so does the file of a secret.
 * Errors: OperatorError if the file cannot be read, or the secret is given twice.
 */
function findRaw({ env, formerly, inFile }: Setting<unknown>, environment: Environment): RawSetting {
  const fileEnv = `${env}_FILE`
  const file = inFile && isSet(fileEnv, environment) ? environment[fileEnv] : undefined
  if (file !== undefined && isSet(env, environment))
    throw new OperatorError(`${fileEnv} and ${env} cannot be combined: unset one`)
  if (file !== undefined) return { env: fileEnv, raw: readSecret(fileEnv, file), file }
  if (isSet(env, environment)) return { env, raw: environment[env] }
  if (formerly !== undefined && isSet(formerly, environment)) return { env: formerly, raw: environment[formerly] }
  return { env }
}

/** The secret in the file that an environment variable names, without surrounding white space. Errors: OperatorError. */
export function readSecret(env: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`${env} is "${file}", expected a file that can be read (${code})`, { cause: error })
  }
}

function isSet(name: string, environment: Environment): boolean {
  return (environment[name] ?? '') !== ''
}

/**
 * Refuses to start the service if a removed setting is still set, as it would be ignored silently. Other commands still work: one is the remedy.
 * Source: decision 69.
 */
export function refuseRemovedSettings(environment: Environment = process.env): void {
  if (!isSet('AMOUNT_DECIMALS', environment)) return
  const { AMOUNT_DECIMALS: decimals = '' } = environment
  throw new OperatorError(
    'AMOUNT_DECIMALS is no longer a setting: decimals of money belong to the program. `npx --no laurel program show > program.yaml`, add the line ' +
      `\`money: { decimals: ${/^[0-4]$/.test(decimals) ? decimals : 2} }\`, \`npx --no laurel program publish program.yaml\` (no service needs to run), then start without AMOUNT_DECIMALS`,
  )
}

/** A line for each setting: name, value in effect, unit and origin. Secret values are not shown. */
export function describeConfig(environment: Environment = process.env) {
  const config = readConfig(environment)
  return Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, setting]) => {
    const value = config[name as keyof Config]
    const { env, raw, file } = findRaw(setting, environment)
    const shown =
      value === undefined || (Array.isArray(value) && value.length === 0)
        ? '(none)'
        : setting.secret
          ? '(set, not shown)'
          : String(value)
    return {
      name: setting.env,
      value: shown,
      unit: setting.unit,
      origin: originOf(setting, { env, raw, file }),
      about: setting.about,
    }
  })
}

function originOf(setting: Setting<unknown>, { env, raw, file }: RawSetting): string {
  if (file !== undefined) return `file ${file}`
  if (raw === undefined) return 'default'
  return env === setting.env ? 'environment' : `environment, as ${env} (deprecated)`
}

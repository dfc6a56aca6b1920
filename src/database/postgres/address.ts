/*
 * Where the server is, and how it may be reached: DATABASE_URL and the PG* variables, read as libpq reads them.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls'
import pg from 'pg'
import { OperatorError } from '../../errors.ts'

/** TLS with these options, or none. */
export type Encryption = ConnectionOptions | false

export type Address = Readonly<{
  /** The address for the library, without the parameters that are read here. */
  url: string
  /** What to try, in this order. */
  encryptions: readonly [Encryption, ...Encryption[]]
  /** Settings of the operator, as `-c name=value`. */
  options: string
}>

type Environment = Readonly<Record<string, string | undefined>>

/** Server certificates that are accepted: any, those of a CA, or those of a CA for this host. */
const TLS = {
  any: { rejectUnauthorized: false },
  ca: { checkServerIdentity: () => undefined },
  host: {},
} as const satisfies Record<string, ConnectionOptions>

/** What each `sslmode` tries. `no-verify` is of the library, not of libpq. */
const MODES = {
  disable: [undefined],
  allow: [undefined, 'any'],
  prefer: ['any', undefined],
  require: ['any'],
  'verify-ca': ['ca'],
  'verify-full': ['host'],
  'no-verify': ['any'],
} as const satisfies Record<string, readonly (keyof typeof TLS | undefined)[]>
type Mode = keyof typeof MODES

/** Read here from the address, or else from the environment. */
const PARAMETERS = {
  ssl: undefined,
  sslnegotiation: 'PGSSLNEGOTIATION',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  channel_binding: 'PGCHANNELBINDING',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
} as const
/** Other parameters of an address: the library reads them, or nothing depends on them. */
const OTHER_PARAMETERS = ['host', 'port', 'user', 'password', 'application_name', 'client_encoding', 'connect_timeout']
type Parameters = Readonly<Partial<Record<keyof typeof PARAMETERS, string>>>
/** Variables that lead elsewhere, or demand something of the server: neither the library nor anything here reads them. */
const UNREAD_VARIABLES = ['PGSERVICE', 'PGHOSTADDR', 'PGREQUIREAUTH', 'PGSSLCRL', 'PGSSLCRLDIR']
const PORT_MAX = 65_535
/** A comma after the user and the password, which may have some. */
const SEVERAL_HOSTS = /^\w+:\/\/([^/]*@)?[^/@?]*,[^/@]*(\/|\?|$)/
const HELP = 'write special characters of the password as %XX, such as %40 for @'

/**
 * Reads `postgres://user:password@host:port/database?sslmode=...`. Any part may be absent: then the PG* variables count, or the defaults of the
 * library. A socket directory is given as `?host=/var/run/postgresql`.
 *
 * As in libpq, `sslmode` is `prefer` by default and means nothing on a socket, and `require` with an `sslrootcert` is `verify-ca`. Unlike in libpq,
 * `verify-full` without `sslrootcert` trusts the CAs that Node knows.
 * Errors: OperatorError, which never repeats the address, as it may contain a password
 */
export function readAddress(text: string, environment: Environment = process.env): Address {
  const { url, parameters } = withoutParameters(text, environment)
  refuseUnmet(parameters, environment)
  const host = hostOf(url)
  const encryptions = host.startsWith('/') ? ([false] as const) : encryptionsOf(parameters)
  return { url, encryptions, options: parameters.options ?? '' }
}

// Errors: OperatorError. The part before the mark is left as it is: the library reads addresses that the URL class refuses.
function withoutParameters(text: string, environment: Environment) {
  const mark = text.indexOf('?')
  const query = new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1))
  const parameters = Object.fromEntries(
    Object.entries(PARAMETERS).flatMap(([name, variable]) => {
      const value = query.get(name) ?? (variable && environment[variable])
      query.delete(name)
      return value ? [[name, value]] : []
    }),
  ) as Parameters
  const unknown = [...query.keys()].find((name) => !OTHER_PARAMETERS.includes(name))
  if (unknown !== undefined && text.includes('@', mark))
    // The mark is part of the password.
    throw new OperatorError(`invalid DATABASE_URL: expected no @ after the ?; ${HELP}`)
  if (unknown !== undefined) throw new OperatorError(`DATABASE_URL has the unknown parameter "${unknown}"`)
  const base = mark < 0 ? text : text.slice(0, mark)
  return { url: query.size === 0 ? base : `${base}?${query}`, parameters }
}

/** What is demanded but cannot be kept is refused, rather than ignored. Errors: OperatorError. */
function refuseUnmet(
  { ssl, sslnegotiation, target_session_attrs, channel_binding }: Parameters,
  environment: Environment,
): void {
  const variable = UNREAD_VARIABLES.find((name) => environment[name])
  if (variable !== undefined) throw new OperatorError(`${variable} is not supported: unset it, and use DATABASE_URL`)
  if (ssl !== undefined) throw new OperatorError('ssl in DATABASE_URL is not supported: use sslmode')
  if (sslnegotiation === 'direct') throw new OperatorError('sslnegotiation=direct is not supported: leave it out')
  if (target_session_attrs !== undefined && target_session_attrs !== 'any')
    throw new OperatorError('target_session_attrs is not supported: give the address that leads to the primary server')
  if (channel_binding === 'require') throw new OperatorError('channel_binding=require is not supported: leave it out')
}

/** Errors: OperatorError. */
function hostOf(url: string): string {
  if (SEVERAL_HOSTS.test(url))
    throw new OperatorError('invalid DATABASE_URL: expected one host, that of the primary server')
  try {
    if (!/^postgres(ql)?:\/\//.test(url)) throw new Error('it must begin with postgres://')
    const { host, port } = new pg.Client({ connectionString: url, ssl: true }) // Parses the address; does not connect.
    if (/^\w+:\/\/[^/]*\/.*@/.test(url)) throw new Error('expected no @ after the host')
    if (url.includes('#')) throw new Error('expected no #')
    if (!(port >= 1 && port <= PORT_MAX)) throw new Error(`expected a port from 1 to ${PORT_MAX}, also in PGPORT`)
    return host
  } catch (error) {
    throw new OperatorError(`invalid DATABASE_URL: ${(error as Error).message}; ${HELP}`, { cause: error })
  }
}

/** Errors: OperatorError. */
function encryptionsOf({ sslmode, sslrootcert, sslcert, sslkey }: Parameters): Address['encryptions'] {
  const isSystem = sslrootcert === 'system'
  const requested = sslmode ?? (isSystem ? 'verify-full' : 'prefer')
  if (!isMode(requested))
    throw new OperatorError(`sslmode is "${requested}", expected one of ${Object.keys(MODES).join(', ')}`)
  const mode = requested === 'require' && sslrootcert !== undefined ? 'verify-ca' : requested
  if (mode === 'verify-ca' && sslrootcert === undefined)
    throw new OperatorError('sslmode=verify-ca needs sslrootcert, the file with the certificate of the CA')
  if (isSystem && mode !== 'verify-full')
    throw new OperatorError(
      'sslrootcert=system needs sslmode=verify-full: anybody can get a certificate of a public CA',
    )
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new OperatorError('sslcert and sslkey belong together: give both, or neither')
  const files = {
    ...(sslrootcert !== undefined && {
      ca: isSystem ? getCACertificates('system') : readAuthorities(sslrootcert),
    }),
    ...(sslcert !== undefined && sslkey !== undefined && readPair(sslcert, sslkey)),
  }
  const encryptionOf = (accepts: keyof typeof TLS | undefined): Encryption =>
    accepts !== undefined && { ...TLS[accepts], ...files }
  const [first, ...others] = MODES[mode]
  return [encryptionOf(first), ...others.map(encryptionOf)]
}

function isMode(text: string): text is Mode {
  return Object.hasOwn(MODES, text)
}

/** With an empty text, Node would trust the CAs that it knows. Errors: OperatorError if there is no certificate in the file. */
function readAuthorities(file: string): string {
  const ca = readPem('sslrootcert', file)
  try {
    new X509Certificate(ca)
  } catch (error) {
    throw new OperatorError(`sslrootcert ${file} contains no certificate: expected PEM`, { cause: error })
  }
  return ca
}

/** Errors: OperatorError if they cannot be used together. */
function readPair(sslcert: string, sslkey: string): Pick<ConnectionOptions, 'cert' | 'key'> {
  const pair = { cert: readPem('sslcert', sslcert), key: readPem('sslkey', sslkey) }
  try {
    createSecureContext(pair)
  } catch (error) {
    throw new OperatorError(
      `sslcert ${sslcert} and sslkey ${sslkey} cannot be used (${(error as Error).message}): expected PEM, and a key of that certificate without a passphrase`,
      { cause: error },
    )
  }
  return pair
}

/** Errors: OperatorError. */
function readPem(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`cannot read ${parameter} ${file} (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
}

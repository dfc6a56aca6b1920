/*
 * The console: pages for browsers below /console, served from memory. A request can only name files of the build, so no path can escape.
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { takesCoding } from './body/compression.ts'

type Coding = 'br' | 'gzip'

type ConsoleFile = Readonly<{
  type: string
  etag: string
  /** Whether its name changes with its content. */
  immutable: boolean
  plain: Buffer
  /** The same, compressed by the build. */
  coded: Readonly<Partial<Record<Coding, Buffer>>>
}>

/** The files of the build, by path below `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

export type ConsoleOptions = Readonly<{
  /** Undefined if nothing was built. */
  files: ConsoleFiles | undefined
  /** Whether this request arrived at a port where the console is served. */
  isServedTo: (request: IncomingMessage) => boolean
}>

const INDEX = 'index.html'
/** Where files with a hash in their names are. */
const ASSETS = 'assets/'
/** In order of preference, for clients that accept both. */
const CODINGS = { br: '.br', gzip: '.gz' } as const satisfies Record<Coding, string>

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** No inline scripts or styles, nothing from other origins, no strings as scripts, no framing. */
const CONSOLE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

const NOT_BUILT =
  'The console has not been built: stop the service, run `npm ci` in its directory, and start it again.\n'

/** All files of the build in `directory`, read once; undefined if there is no build. */
export function readConsoleFiles(
  directory = fileURLToPath(new URL('../../console/dist/', import.meta.url)),
): ConsoleFiles | undefined {
  if (!existsSync(join(directory, INDEX))) return undefined
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(directory, sep).length))
  const all = new Set(names)
  const read = (name: string) => readFileSync(join(directory, name))
  const files = names.filter((name) => !Object.values(CODINGS).some((end) => name.endsWith(end)))
  return new Map(
    files.map((name) => {
      const plain = read(name)
      const path = name.replaceAll(sep, '/')
      const codings = Object.entries(CODINGS).filter(([, end]) => all.has(name + end))
      return [
        path,
        {
          type: TYPES[extname(name)] ?? 'application/octet-stream',
          // Weak, as it stands for the compressed bytes, too.
          etag: `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
          immutable: path.startsWith(ASSETS),
          plain,
          coded: Object.fromEntries(codings.map(([coding, end]) => [coding, read(name + end)])),
        },
      ]
    }),
  )
}

/**
 * Serves the console below `/console`, and redirects browsers there from `/`. A path that is not a file gets the page itself, which knows what
 * to show; except among the assets, where a page of an older build has to learn that its parts are gone.
 */
export function registerConsole(app: FastifyInstance, { files, isServedTo }: ConsoleOptions): void {
  const methods = ['GET', 'HEAD']
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    if (!isServedTo(request.raw)) return reply.callNotFound()
    reply.headers(CONSOLE_HEADERS)
    if (files === undefined) return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT)
    const path = (request.params as Readonly<Record<string, string>>)['*'] ?? ''
    const file = files.get(path) ?? (path.startsWith(ASSETS) ? undefined : files.get(INDEX))
    return file === undefined ? reply.callNotFound() : sendFile(request, reply, file)
  }
  app.route({ method: methods, url: '/console', handler })
  app.route({ method: methods, url: '/console/*', handler })
  app.route({
    method: methods,
    url: '/',
    handler: (request, reply) => {
      const isBrowser = request.headers.accept?.includes('text/html') === true
      return isBrowser && isServedTo(request.raw) ? reply.redirect('/console/') : reply.callNotFound()
    },
  })
}

function sendFile({ headers }: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const { type, etag, immutable, plain, coded } = file
  reply.headers({
    etag,
    vary: 'accept-encoding',
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  const etags = headers['if-none-match']?.split(',').map((one) => one.trim()) ?? []
  if (etags.includes(etag) || etags.includes('*')) return reply.code(304).send()
  const coding = (Object.keys(CODINGS) as Coding[]).find((one) => coded[one] && takesCoding(headers, one))
  if (coding !== undefined) reply.header('content-encoding', coding)
  return reply.type(type).send(coding === undefined ? plain : coded[coding])
}

import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../database/db/transaction.ts'
import { casesSchemaText } from '../engine/ingest/cases/cases-schema.ts'
import { programSchemaText } from '../engine/points/program-schema.ts'
import type { Authenticator } from './authenticator.ts'
import { takesCoding, varyByCoding } from './body/compression.ts'
import { JSON_TYPE } from './page-formats.ts'

const READINESS_TIMEOUT_MS = 1_000

/** What needs no token (decision 66): whether the service is ready, the API and program schemas, and from this machine the metrics. */
export type TokenlessRoutes = Readonly<{
  /** Whether requests can be answered now: the database answers, and we are not about to stop. */
  isReady: () => Promise<boolean>
  /** The API description, as JSON: made when it is first asked for, as it rarely is. */
  openApi: () => string
  metrics: Readonly<{ text: () => Promise<string>; contentType: string }>
}>

/** Metrics that were fetched with a token must not be sent from a cache to callers without one. */
const NOT_STORED = { 'cache-control': 'no-store' }

export function registerTokenlessRoutes(
  app: FastifyInstance,
  tokenlessRoutes: TokenlessRoutes,
  authenticator: Authenticator,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: async (_, reply) => reply.headers(NOT_STORED).send({ status: 'ok' }),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    handler: async (_, reply) => {
      const ready = await tokenlessRoutes.isReady()
      return reply
        .code(ready ? 200 : 503)
        .headers(ready ? NOT_STORED : { ...NOT_STORED, 'retry-after': '1' })
        .send({ status: ready ? 'ready' : 'not ready' })
    },
  })
  registerDocument(app, '/openapi.json', tokenlessRoutes.openApi)
  registerDocument(app, '/schemas/program.json', programSchemaText)
  registerDocument(app, '/schemas/cases.json', casesSchemaText)
  app.route({
    method: 'GET',
    url: '/metrics',
    onRequest: async (request) => {
      if (!isFromThisMachine(request.raw)) authenticator.authenticate(request, ['metrics'])
    },
    handler: async (_, reply) =>
      reply
        .headers(NOT_STORED)
        .type(tokenlessRoutes.metrics.contentType)
        .send(await tokenlessRoutes.metrics.text()),
  })
}

/** Whether requests can be served: the database answers within a second, and its last write did not fail. */
export async function isDatabaseReady(db: Db): Promise<boolean> {
  if (!db.healthy()) return false
  return db.read('select 1 as one', [], performance.now() + READINESS_TIMEOUT_MS).then(
    () => true,
    () => false,
  )
}

/** A text that is the same until the next release: a client that has it gets 304. */
function registerDocument(app: FastifyInstance, url: string, textOf: () => string): void {
  let made: ReturnType<typeof documentOf> | undefined
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async ({ headers }, reply) => {
      made ??= documentOf(textOf())
      const { plain, compressed, etag } = made
      reply.headers({ etag, 'cache-control': 'no-cache' })
      varyByCoding(reply)
      const etags = headers['if-none-match']?.split(',').map((one) => one.trim()) ?? []
      if (etags.includes(etag) || etags.includes('*')) return reply.code(304).send()
      if (!takesCoding(headers, 'gzip')) return reply.type(JSON_TYPE).send(plain)
      return reply.type(JSON_TYPE).header('content-encoding', 'gzip').send(compressed)
    },
  })
}

/** All responses share these bytes, however many are on their way: anybody may ask. */
function documentOf(json: string) {
  const plain = Buffer.from(json)
  // Weak, as it stands for the compressed text, too.
  return { plain, compressed: gzipSync(plain), etag: `W/"${hash('sha256', json, 'base64url').slice(0, 22)}"` }
}

/** A proxy on this machine connects from loopback on behalf of anyone, but says so in a header. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined)
    return false
  return /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}

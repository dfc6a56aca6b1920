/*
 * The routes that need no token (decision 66) in the API description.
 */
import type { TSchema } from 'typebox'
import { Type } from '../engine/points/json-schema.ts'
import type { Tag } from '../routing/route.ts'
import { COMPONENT_RESPONSES, headers } from './openapi/openapi-responses.ts'

export type TokenlessOperation = Readonly<{
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** Of a 200, by media type. */
  content: Readonly<Record<string, Readonly<{ schema: TSchema; example: unknown }>>>
  /** Whether a token is needed from another machine. */
  mayNeedToken?: boolean
  /** Beside 200. */
  responses?: Readonly<Record<string, unknown>>
}>

const status = (words: readonly string[], title: string, description: string) =>
  Type.Object({ status: Type.Enum([...words], { type: 'string', description: 'the status' }) }, { title, description })
const readiness = status(['ready', 'not ready'], 'Readiness', 'Readiness check')
const aDocument = (example: object) => ({
  'application/json': { schema: Type.Unsafe<object>({ type: 'object', description: 'the document' }), example },
})
const UNCHANGED = {
  304: { description: 'The client already has this document', headers: headers('x-request-id', 'etag') },
}
const OTHER_METHOD = { 405: { $ref: '#/components/responses/MethodNotAllowed' } }

/** By path; each takes GET, and all but the metrics HEAD. */
export const TOKENLESS_OPERATIONS = {
  '/healthz': {
    operationId: 'checkHealth',
    tag: 'service',
    summary: 'Liveness check',
    description: 'Does not check the database.',
    content: {
      'application/json': { schema: status(['ok'], 'Health', 'Liveness check'), example: { status: 'ok' } },
    },
    responses: OTHER_METHOD,
  },
  '/readyz': {
    operationId: 'checkReadiness',
    tag: 'service',
    summary: 'Readiness check',
    description: 'Ready if the database responds and the service is not stopping.',
    content: { 'application/json': { schema: readiness, example: { status: 'ready' } } },
    responses: {
      ...OTHER_METHOD,
      503: {
        ...COMPONENT_RESPONSES.Unavailable,
        content: { 'application/json': { schema: readiness, example: { status: 'not ready' } } },
      },
    },
  },
  '/metrics': {
    operationId: 'readMetrics',
    tag: 'service',
    summary: 'Prometheus metrics',
    description: 'From this machine without a token; from elsewhere with the scope `metrics`.',
    content: {
      'text/plain': { schema: Type.String({ description: 'Prometheus text format' }), example: 'laurel_up 1\n' },
    },
    mayNeedToken: true,
    responses: {
      401: { $ref: '#/components/responses/Unauthorized' },
      ...OTHER_METHOD,
      429: { $ref: '#/components/responses/TooManyRequests' },
    },
  },
  '/openapi.json': {
    operationId: 'readApiDescription',
    tag: 'service',
    summary: 'Get the API description',
    description: 'OpenAPI 3.1, as JSON.',
    content: aDocument({ openapi: '3.1.0' }),
    responses: { ...UNCHANGED, ...OTHER_METHOD },
  },
  '/schemas/program.json': {
    operationId: 'readProgramSchema',
    tag: 'service',
    summary: 'Get the JSON Schema of a program',
    description: 'For completion and validation in editors.',
    content: aDocument({ $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    responses: { ...UNCHANGED, ...OTHER_METHOD },
  },
  '/schemas/cases.json': {
    operationId: 'readCasesSchema',
    tag: 'service',
    summary: 'Get the JSON Schema of test orders',
    description: 'For completion and validation in editors.',
    content: aDocument({ $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    responses: { ...UNCHANGED, ...OTHER_METHOD },
  },
} as const satisfies Record<string, TokenlessOperation>

export const TOKENLESS_PATHS = Object.keys(TOKENLESS_OPERATIONS)

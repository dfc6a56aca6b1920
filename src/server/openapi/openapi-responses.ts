/*
 * What many operations share in the API description: refusals (docs/errors.md), and headers.
 */
import type { TSchema } from 'typebox'
import { Type } from '../../engine/points/json-schema.ts'

const sentence = Type.String({ description: 'what is wrong, and what is expected' })
const anError = Type.Object({ error: sentence }, { title: 'Error', description: 'Why a request was refused' })
const errorAtPath = Type.Object(
  {
    path: Type.String({ description: 'where the error is: data.products[1].qty, query.dry_run, body' }),
    error: sentence,
  },
  { title: 'ErrorAtPath', description: 'Why a request was refused, and where the error is' },
)

const notRedeemable = Type.Object(
  {
    path: Type.String({ description: 'where the error is: data.points, id' }),
    error: sentence,
    available: Type.Integer({ description: 'points that can be spent; negative if points are owed' }),
  },
  { title: 'NotRedeemable', description: 'Why the points cannot be redeemed now' },
)

const HEADERS = {
  'x-request-id': ['RequestId', 'request ID, also in the log', Type.String()],
  'retry-after': ['RetryAfter', 'seconds to wait before a retry', Type.Integer({ minimum: 1 })],
  allow: ['Allow', 'methods allowed for this path', Type.String()],
  'www-authenticate': [
    'WwwAuthenticate',
    'Bearer; for a missing scope with error="insufficient_scope" and the scope',
    Type.String(),
  ],
  link: [
    'Link',
    'the next page, relative to the URL of this one: `<?after=...>; rel="next"`; absent on the last',
    Type.String(),
  ],
  deprecation: ['Deprecation', 'since when the operation is deprecated: `@` and Unix time (RFC 9745)', Type.String()],
  etag: ['ETag', 'changes with the document: send it as If-None-Match', Type.String()],
} as const satisfies Record<string, readonly [component: string, description: string, schema: TSchema]>

export const COMPONENT_HEADERS = Object.fromEntries(
  Object.values(HEADERS).map(([component, description, schema]) => [
    component,
    { description, required: component !== 'Link', schema },
  ]),
)

/** References to headers, by their names. */
export function headers(...names: (keyof typeof HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${HEADERS[name][0]}` }]))
}

function refusal(
  description: string,
  schema: TSchema,
  example: { path?: string; error: string; available?: number },
  ...more: (keyof typeof HEADERS)[]
) {
  return {
    description,
    headers: headers('x-request-id', ...more),
    content: { 'application/json': { schema, example } },
  }
}

export const COMPONENT_RESPONSES = {
  BadRequest: refusal('Invalid request: `path` says where, `error` what is expected', errorAtPath, {
    path: 'query.dryrun',
    error: 'expected no parameters',
  }),
  Unauthorized: refusal(
    'Missing or invalid token, or missing scope',
    anError,
    { error: 'missing or invalid token' },
    'www-authenticate',
  ),
  NotFound: refusal('Record or path not found', anError, { error: 'not found' }),
  MethodNotAllowed: refusal('Method not allowed', anError, { error: 'PUT not allowed, use POST' }, 'allow'),
  NotRedeemable: refusal('Too few points, or the redemption is in another state', notRedeemable, {
    path: 'data.points',
    error: 'expected at most 340 points: 540 are available, 200 of them held',
    available: 340,
  }),
  RequestTimeout: refusal('Timed out reading the request body', anError, {
    error: 'timed out reading the request body',
  }),
  ContentTooLarge: refusal('Body or array too large', errorAtPath, {
    path: 'body',
    error: 'expected at most 262144 bytes',
  }),
  UriTooLong: refusal('URL too long', anError, { error: 'URL too long' }),
  TooManyRequests: refusal(
    'Too many invalid tokens from this address',
    anError,
    { error: 'too many invalid tokens from this address: retry later' },
    'retry-after',
  ),
  InternalError: refusal('Internal error; the log has its cause under `x-request-id`', anError, {
    error: 'internal error',
  }),
  Unavailable: refusal(
    'Temporarily unavailable: retry the same request',
    anError,
    { error: 'the database cannot be reached' },
    'retry-after',
  ),
} as const

/** The 409 of an operation that changes what somebody else has changed in the meantime. */
export function conflictOf(theirs: TSchema, example: unknown) {
  const schema = Type.Object({ ...errorAtPath.properties, theirs })
  const error = 'another user changed this'
  return {
    409: {
      description: 'Another user changed it: `theirs` is its current state',
      headers: headers('x-request-id'),
      content: { 'application/json': { schema, example: { path: 'data.revision', error, theirs: example } } },
    },
  }
}

/** The refusals of an operation with these traits, by status. */
export function refusals({
  hasBody,
  hasPathParameter,
  redeems,
}: Readonly<{ hasBody: boolean; hasPathParameter: boolean; redeems: boolean }>) {
  const of = (name: keyof typeof COMPONENT_RESPONSES) => ({ $ref: `#/components/responses/${name}` })
  return {
    400: of('BadRequest'),
    401: of('Unauthorized'),
    ...(hasPathParameter ? { 404: of('NotFound') } : {}),
    405: of('MethodNotAllowed'),
    ...(hasBody ? { 408: of('RequestTimeout'), 413: of('ContentTooLarge') } : {}),
    ...(redeems ? { 409: of('NotRedeemable') } : {}),
    ...(hasPathParameter ? { 414: of('UriTooLong') } : {}),
    429: of('TooManyRequests'),
    500: of('InternalError'),
    503: of('Unavailable'),
  }
}

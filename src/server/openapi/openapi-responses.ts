/*
 * What many operations share in the API description: refusals (docs/errors.md), and headers.
 */
import type { TSchema } from 'typebox'
import { Type } from '../../engine/points/json-schema.ts'

const sentence = Type.String({ description: 'one sentence: what is wrong, and what is expected' })
const anError = Type.Object({ error: sentence }, { title: 'Error', description: 'Why a request was refused' })
const errorAtPath = Type.Object(
  {
    path: Type.String({ description: 'where the fault is: data.products[1].qty, query.dry_run, body' }),
    error: sentence,
  },
  { title: 'ErrorAtPath', description: 'Why a request was refused, and where the fault is' },
)

const notRedeemable = Type.Object(
  {
    path: Type.String({ description: 'where the fault is: data.points, id' }),
    error: sentence,
    available: Type.Integer({ description: 'how many points can be spent; below 0 where some are owed' }),
  },
  { title: 'NotRedeemable', description: 'Why the points cannot be redeemed now' },
)

const HEADERS = {
  'x-request-id': ['RequestId', 'the id of the request, which is in the log, too', Type.String()],
  'retry-after': ['RetryAfter', 'after how many seconds to send the same request again', Type.Integer({ minimum: 1 })],
  allow: ['Allow', 'the methods that this path takes', Type.String()],
  'www-authenticate': [
    'WwwAuthenticate',
    'Bearer; where only the scope is missing, with error="insufficient_scope" and the scope',
    Type.String(),
  ],
  link: [
    'Link',
    'the next page, relative to the address of this one: `<?after=...>; rel="next"`; absent on the last',
    Type.String(),
  ],
  etag: ['ETag', 'changes when the document does: send it as If-None-Match', Type.String()],
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
  BadRequest: refusal('The request cannot be read: `path` says where, `error` what is expected', errorAtPath, {
    path: 'query.dryrun',
    error: 'expected no parameters',
  }),
  Unauthorized: refusal(
    'The token is missing or wrong, or lacks the scope',
    anError,
    { error: 'a valid token is required in the header token' },
    'www-authenticate',
  ),
  NotFound: refusal('There is no such record, or nothing at this address', anError, {
    error: 'there is nothing at this address',
  }),
  MethodNotAllowed: refusal(
    'The path does not take this method',
    anError,
    { error: 'PUT is not possible here, use POST' },
    'allow',
  ),
  NotRedeemable: refusal('Too few points, or the redemption is in another state', notRedeemable, {
    path: 'data.points',
    error: 'expected at most 340 points: 540 are available, 200 of them held',
    available: 340,
  }),
  RequestTimeout: refusal('The body took too long to arrive', anError, {
    error: 'the body of the request took too long to arrive',
  }),
  ContentTooLarge: refusal('The body or the list is too large', errorAtPath, {
    path: 'body',
    error: 'expected at most 262144 bytes',
  }),
  UriTooLong: refusal('The address is too long', anError, { error: 'the address is too long' }),
  TooManyRequests: refusal(
    'Too many wrong tokens from this address',
    anError,
    { error: 'too many wrong tokens from this address, wait a little' },
    'retry-after',
  ),
  InternalError: refusal('A fault of the service; `x-request-id` names the line of its log', anError, {
    error: 'internal error',
  }),
  Unavailable: refusal(
    'Not now: send the same request again',
    anError,
    { error: 'the database cannot be reached' },
    'retry-after',
  ),
} as const

/** The 409 of an operation that changes what somebody else has changed in the meantime. */
export function conflictOf(theirs: TSchema, example: unknown) {
  const schema = Type.Object({ ...errorAtPath.properties, theirs })
  const error = 'somebody else has changed this in the meantime'
  return {
    409: {
      description: 'Somebody else has changed it in the meantime: `theirs` is its current state',
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

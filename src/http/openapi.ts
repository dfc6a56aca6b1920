import type { TSchema } from 'typebox'
import project from '../../package.json' with { type: 'json' }
import { Type } from '../points/json-schema.ts'
import type { Route } from './route.ts'

const anError = Type.Object({ path: Type.Optional(Type.String()), error: Type.String() })

const ERRORS = {
  400: 'the request cannot be read: path says where, error what is expected',
  401: 'the token is missing or wrong, or lacks the scope',
  408: 'the body took too long to arrive',
  413: 'the body or the list is too large',
  429: 'too many wrong tokens from this address',
  500: 'a fault of the service; the header x-request-id names the line of its log',
  503: 'not now: send the same request again after Retry-After seconds',
} as const

/** The description of the API (OpenAPI 3.1), made from the routes and the fields that the reader itself uses. */
export function openApiOf(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    if (route.described === undefined) continue
    const { summary, data, answer = route.answer } = route.described
    const operation = {
      summary,
      security: [{ token: [] }],
      parameters: parametersOf(route),
      ...(data === undefined ? {} : { requestBody: { required: true, content: json(Type.Object({ data })) } }),
      responses: {
        200: { description: 'Success', content: json(answer) },
        ...Object.fromEntries(
          Object.entries(ERRORS).map(([status, description]) => [status, { description, content: json(anError) }]),
        ),
      },
    }
    // QUERY has no place in OpenAPI 3.1; it does the same as POST.
    const methods = route.methods.filter((method) => method !== 'QUERY')
    paths[route.path.replace(/:(\w+)/g, '{$1}')] = Object.fromEntries(
      methods.map((method) => [method.toLowerCase(), operation]),
    )
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Laurel', version: project.version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: { securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'token' } } },
  }
}

function parametersOf({ path, flags, texts = [] }: Route) {
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: Type.String() })),
    ...flags.map((name) => ({ name, in: 'query', schema: Type.Boolean({ default: false }) })),
    ...texts.map((name) => ({ name, in: 'query', schema: Type.String() })),
  ]
}

function json(schema: TSchema) {
  return { 'application/json': { schema } }
}

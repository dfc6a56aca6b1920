/*
 * The description of the API (OpenAPI 3.1): made from the routes, and from the fields that the readers themselves use (decision 110).
 */
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import project from '../../../package.json' with { type: 'json' }
import { Type } from '../../engine/points/json-schema.ts'
import { PARAMETERS } from '../../routing/openapi-parameters.ts'
import { type Route, TAGS } from '../../routing/route.ts'
import { pageText, ROWS_TYPES } from '../page-formats.ts'
import { TOKENLESS_OPERATIONS, type TokenlessOperation } from '../tokenless-operations.ts'
import { COMPONENT_HEADERS, COMPONENT_RESPONSES, conflictOf, headers, refusals } from './openapi-responses.ts'

const DESCRIPTION = `A self-hosted loyalty service: what an order will earn, exactly and with reasons.

A body is one JSON object with the key \`data\`. Numbers may be JSON numbers or strings; a JSON number with more than 15 significant digits is
refused. \`null\` in an optional field is the same as omitting it, and unknown fields are ignored. Every response has \`x-request-id\`. Beside the
statuses of each operation there are 417 (an unknown \`Expect\`) and 431 (headers that are too large).`

/** Keys whose values are not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples'])

/**
 * The document, with every schema that has a title under `components.schemas`.
 * Errors: for a parameter that nothing describes, or two schemas with one title: faults of ours that any test finds.
 */
export function openApiOf(routes: readonly Route[]) {
  const operations = routes.flatMap((route) =>
    // OpenAPI 3.1 has no place for QUERY; it does the same as POST.
    route.methods
      .filter((method) => method !== 'QUERY')
      .map((method) => ({
        path: pathOf(route.path),
        method: method.toLowerCase(),
        operation: operationOf(route, method),
      })),
  )
  const open = Object.entries(TOKENLESS_OPERATIONS).map(([path, described]) => ({
    path,
    method: 'get',
    operation: tokenlessOperationOf(described),
  }))
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { path, method, operation } of [...operations, ...open])
    paths[path] = { ...paths[path], [method]: operation }
  return withNamedSchemas({
    openapi: '3.1.0',
    info: {
      title: 'Laurel',
      summary: project.description,
      description: DESCRIPTION,
      version: project.version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ token: [] }, { bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'token', description: 'A token' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same token as `Authorization: Bearer TOKEN`' },
      },
      headers: COMPONENT_HEADERS,
      responses: COMPONENT_RESPONSES,
    },
  })
}

function operationOf(route: Route, method: string) {
  const { scopes, described, successor } = route
  const { operationId, tag, summary, description, data, example, redeems } = described
  const isTwin = method === 'GET' && data !== undefined
  return {
    operationId: isTwin ? `${operationId}ByGet` : operationId,
    tags: [tag],
    summary: `${summary}${isTwin ? ' (GET with a body)' : ''}${successor === undefined ? '' : ' (deprecated)'}`,
    ...(successor === undefined ? {} : { deprecated: true }),
    description: [
      ...(successor === undefined ? [] : [`Deprecated: use \`${pathOf(successor)}\`.`]),
      description,
      ...(isTwin ? [BODY_OF_GET] : []),
      scopeText(scopes),
    ].join('\n\n'),
    'x-scopes': scopes,
    parameters: parametersOf(route),
    ...(data === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: json(Type.Object({ data }), { data: example.data }),
          },
        }),
    responses: {
      200: describeSuccess(route),
      ...refusals({
        hasBody: data !== undefined,
        hasPathParameter: route.path.includes(':'),
        redeems: redeems === true,
      }),
      ...(described.conflict === undefined ? {} : conflictOf(described.conflict, example.response)),
    },
  }
}

function describeSuccess({ response, rows, described, successor }: Route) {
  const { example } = described
  const inAll = successor === undefined ? (['x-request-id'] as const) : (['x-request-id', 'deprecation'] as const)
  const done = { description: 'Done', headers: headers(...inAll), content: json(response, example.response) }
  if (rows === undefined) return done
  const forms = Object.entries(ROWS_TYPES).map(([type, description]) => [
    type,
    {
      schema: Type.String({ description }),
      example: pageText(type as keyof typeof ROWS_TYPES, example.response, rows, response),
    },
  ])
  const hasPages = 'after' in (response as TSchema & { properties: object }).properties
  return {
    description: `${hasPages ? 'A page' : 'All rows'}, as JSON unless the header \`Accept\` names another format`,
    headers: hasPages ? headers(...inAll, 'link') : done.headers,
    content: { ...done.content, ...Object.fromEntries(forms) },
  }
}

const BODY_OF_GET =
  'Clients and proxies often drop the body of a GET. Prefer POST on the same path (or QUERY); it behaves the same.'

function scopeText(scopes: readonly string[]): string {
  const names = scopes.map((scope) => `\`${scope}\``)
  return names.length === 1 ? `Scope: ${names[0]}.` : `Scopes, any one of: ${names.join(', ')}.`
}

function tokenlessOperationOf({ content, mayNeedToken = false, responses = {}, ...described }: TokenlessOperation) {
  const { operationId, tag, summary, description } = described
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: mayNeedToken ? [{}, { token: [] }, { bearer: [] }] : [],
    responses: { 200: { description: 'Done', headers: headers('x-request-id'), content }, ...responses },
  }
}

function parametersOf({ path, flags, texts = [], described }: Route) {
  const parameters = { ...PARAMETERS, ...described.parameters }
  const parameter = (name: string, place: object) => {
    const schema = parameters[name]
    if (schema === undefined) throw new Error(`${described.operationId}: nothing describes the parameter ${name}`)
    const { description, ...rest } = schema as TSchema & { description?: string }
    return { name, ...place, description, schema: rest }
  }
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => parameter(name!, { in: 'path', required: true }))
  return [...inPath, ...[...flags, ...texts].map((name) => parameter(name, { in: 'query' }))]
}

function pathOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function json(schema: TSchema, example: unknown) {
  return { 'application/json': { schema, example } }
}

/** The document with every schema that has a title under `components.schemas`, by its title. Errors: if two share a title. */
function withNamedSchemas<Document extends { components: object }>(document: Document) {
  const schemas: Record<string, unknown> = {}
  const named = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(named)
    if (typeof node !== 'object' || node === null) return node
    const entries = Object.entries(node).map(([key, value]) => [key, VALUES.has(key) ? value : named(value)])
    const { title, ...schema } = Object.fromEntries(entries)
    if (typeof title !== 'string' || schema.type === undefined) return Object.fromEntries(entries)
    if (!isDeepStrictEqual(schemas[title] ?? schema, schema)) throw new Error(`two schemas are called ${title}`)
    schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
  const { components, ...rest } = named(document) as Document
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...rest, components: { ...components, schemas: sorted } }
}

/*
 * Checks answers against the API description: status, body without unknown properties, and headers.
 */
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { openApiDocument } from '../../scripts/openapi-document.ts'

type Media = Readonly<{ schema: unknown; example: unknown }>
export type Described = Readonly<{
  content?: Readonly<Record<string, Media>>
  headers?: Readonly<Record<string, { required: boolean }>>
  description: string
}>
export type Operation = Readonly<{
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  deprecated?: boolean
  parameters?: readonly Readonly<{ name: string; in: string; description: string; schema: { examples?: string[] } }>[]
  requestBody?: Readonly<{ content: Readonly<Record<string, Media>> }>
  responses: Readonly<Record<string, Described>>
}>

/** The description with every reference replaced by what it refers to. */
export const API = resolved(openApiDocument()) as Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}>

export const OPERATIONS = Object.entries(API.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
)

const PATHS = Object.entries(API.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  operations,
}))

const REFUSAL = {
  type: 'object',
  required: ['error'],
  properties: { path: { type: 'string' }, error: { type: 'string' } },
}

type Check = Readonly<{ Check: (value: unknown) => boolean; Errors: (value: unknown) => Iterable<unknown> }>
const checks = new Map<unknown, Check>()

/** Errors: AssertionError if a response is not as the API description says. */
export function assertDescribed(
  method: string,
  url: string,
  { status, headers, text, body }: { status: number; headers: IncomingHttpHeaders; text: string; body: unknown },
): void {
  // There is no body, or it is compressed.
  if (method === 'HEAD' || status === 204 || status === 304 || headers['content-encoding'] !== undefined) return
  const path = url.replace(/[?#].*$/s, '').replaceAll(/\/{2,}/g, '/')
  const name = method === 'QUERY' ? 'post' : method.toLowerCase()
  // A path may match several: `players/search` is `players/{user_id}` for another method.
  const operation = PATHS.find(({ pattern, operations }) => pattern.test(path) && name in operations)?.operations[name]
  const response = operation?.responses[status]
  const at = `${method} ${path} answers ${status}`
  // A request that no operation takes is refused before one is known.
  if (operation !== undefined) assert(response, `${at}, which the API description does not name: ${text.slice(0, 500)}`)
  for (const [header, { required }] of Object.entries(response?.headers ?? {}))
    assert(!required || headers[header] !== undefined, `${at} without ${header}`)
  const media = response?.content ?? { 'application/json': { schema: REFUSAL } }
  const type = headers['content-type']?.replace(/;.*$/, '') ?? ''
  assert(type in media, `${at} with the type ${headers['content-type']}`)
  if (type !== 'application/json') return
  const { schema } = media[type]!
  const check = checkOf(schema)
  assert(check.Check(body), `${at} ${text.slice(0, 500)}: ${JSON.stringify([...check.Errors(body)][0])}`)
}

function checkOf(schema: unknown): Check {
  const known = checks.get(schema)
  if (known !== undefined) return known
  const made = Compile(closed(schema) as TSchema)
  checks.set(schema, made)
  return made
}

/** The schema without room for properties that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return 'properties' in schema ? { additionalProperties: false, ...inner } : inner
}

function resolved(document: object): unknown {
  const follow = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(follow)
    if (typeof node !== 'object' || node === null) return node
    if ('$ref' in node) return target(String(node.$ref))
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, follow(value)]))
  }
  const known = new Map<string, unknown>()
  const target = (ref: string): unknown => {
    if (!known.has(ref)) {
      const parts = ref.split('/').slice(1)
      known.set(ref, follow(parts.reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], document)))
    }
    return known.get(ref)
  }
  return follow(document)
}

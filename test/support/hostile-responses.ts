/*
 * Answers of a service that means to deceive whoever reads them at a terminal.
 */
import { API, type Operation } from './api-description.ts'

export type Schema = Readonly<{
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema | false
  items?: Schema
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
}>

/** Clears the screen, sets a title, changes the colour, reorders what follows, and begins a line of its own. */
export const EVIL = 'a\u001b[2J\u001b]0;x\u0007\u009b31m\u001b[32m\u202e\u2066\u200f\u061c\r\nFORGED line\u0000\u007f'

/** What no output may have. */
export const RAW = /(?![\t\n])\p{Cc}|\p{Bidi_Control}|^FORGED/mu

const nested = (levels: number): unknown => (levels === 0 ? EVIL : { a: [nested(levels - 1)] })

/** Fields that no schema names: a newer service may have others. */
export const UNKNOWN = { [EVIL]: EVIL, toString: 1, constructor: null, deep: nested(20), listed: [[EVIL]] }

const SAMPLES = ['0123456789ab', 'laurel_x', '0', '-1', '10/3', 'a', '2026-01-31'] as const

/** A response of the shape that a schema describes, with EVIL wherever it allows any text, and unknown fields in every object. Numbers are `least` or most. */
export function evilAnswer(schema: Schema, isLeast: boolean): unknown {
  const { anyOf, properties, items, additionalProperties, pattern, format } = schema
  if (anyOf !== undefined) return evilAnswer(isLeast ? anyOf.at(-1)! : anyOf[0]!, isLeast)
  const [type = ''] = [schema.type ?? []].flat()
  if (type === 'string') return pattern === undefined && format === undefined ? EVIL : sampleOf(schema)
  if (type === 'integer' || type === 'number') return isLeast ? (schema.minimum ?? -1e300) : (schema.maximum ?? 1e300)
  if (type === 'boolean') return isLeast
  if (type === 'null') return null
  if (type === 'array') return Array.from({ length: 2 }, () => evilAnswer(items!, isLeast))
  const fields = Object.entries(properties ?? {}).map(([name, inner]) => [name, evilAnswer(inner, isLeast)])
  const others = additionalProperties ? { [EVIL]: evilAnswer(additionalProperties, isLeast) } : UNKNOWN
  return { ...others, ...Object.fromEntries(fields) }
}

function sampleOf({ pattern = '', format }: Schema): string {
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z'
  if (format === 'date') return '2026-01-31'
  const found = SAMPLES.find((sample) => new RegExp(pattern).test(sample))
  if (found === undefined) throw new Error(`no text is known for ${pattern}`)
  return found
}

const ROUTES = Object.entries(API.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

/** The schema of the response to a request; undefined if there is no such operation. */
export function schemaFor(method: string, url: string): Schema | undefined {
  const path = url.replace(/\?.*$/s, '')
  const fits = ({ path: template, ...route }: (typeof ROUTES)[number]) =>
    route.method === method && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  // `players/search` is `players/{user_id}`, too.
  const found = ROUTES.filter(fits).sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
  return found === undefined ? undefined : responseOf(found.operation)
}

export function responseOf({ responses }: Operation): Schema | undefined {
  return responses[200]?.content?.['application/json']?.schema as Schema | undefined
}

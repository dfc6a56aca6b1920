/*
 * The formats of responses: JSON; and for pages of lists also a line of JSON for each row, or CSV, whichever the client accepts (decision 122).
 */
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { csvOf } from '../csv.ts'
import { jsonOf } from '../json-sums.ts'

/** The content type of every JSON response. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The JSON of a response; it ends with a newline, so that a terminal shows its prompt on a line of its own. */
export function jsonText(value: unknown): string {
  return `${jsonOf(value)}\n`
}

/** A page as a route answers it: its rows under a name, and the cursor of the next page; absent where a list has no pages. */
type PageResponse = Readonly<{ after?: string | null }>
type Row = Readonly<Record<string, unknown>>

/** Formats that contain rows alone, and their descriptions. */
export const ROWS_TYPES = {
  'application/x-ndjson': 'one JSON object per line',
  'text/csv': 'CSV with a header line (RFC 4180)',
} as const
type RowsType = keyof typeof ROWS_TYPES

/** In order of preference, for clients that accept several equally. */
const TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const

/**
 * The response of a list in the type that the client accepts, JSON if it accepts none of ours. Every page but the last names the next one in
 * `Link` (RFC 8288), relative to its own address. `schema` is what the route declares, `rowsField` the field that holds the rows.
 */
export function sendPage(reply: FastifyReply, response: unknown, rowsField: string, schema: TSchema): unknown {
  const { after = null } = response as PageResponse
  if (after !== null) reply.header('link', `<?${queryWith(reply.request.query as object, after)}>; rel="next"`)
  const type = acceptedType(reply.request.headers.accept)
  if (type === 'application/json') return response
  return reply.type(`${type}; charset=utf-8`).send(pageText(type, response, rowsField, schema))
}

/** A page without its cursor, as text of a type other than JSON. */
export function pageText(type: RowsType, response: unknown, rowsField: string, schema: TSchema): string {
  const rows = (response as Readonly<Record<string, readonly Row[]>>)[rowsField]!
  return type === 'text/csv' ? csvText(fieldsOf(schema, rowsField), rows) : rows.map(jsonText).join('')
}

/** Rows as CSV under a line with the names of the fields. */
export function csvText(fields: readonly string[], rows: readonly Row[]): string {
  return csvOf([fields, ...rows.map((row) => fields.map((field) => row[field]))])
}

/** The type of a list to which an `Accept` header gives the most weight (RFC 9110, 12.5.1). */
export function acceptedType(accept = '*/*'): (typeof TYPES)[number] {
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const weighed = TYPES.map((type) => ({ type, weight: weightOf(type, ranges) }))
  const most = Math.max(...weighed.map(({ weight }) => weight))
  return most === 0 ? TYPES[0] : weighed.find(({ weight }) => weight === most)!.type
}

type MediaRange = Readonly<{ name: string; weight: number }>

function readRange(text: string): MediaRange {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const q = parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find((weight) => weight)
  return { name, weight: Number(q ?? 1) }
}

/** The weight of the most specific range for a type; 0 if none accepts it. */
function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const [family] = type.split('/')
  const named = [type, `${family}/*`, '*/*'].map((name) => ranges.find((range) => range.name === name))
  return named.find((range) => range !== undefined)?.weight ?? 0
}

/** The fields that the rows of a page are declared to have. */
function fieldsOf(schema: TSchema, rowsField: string): string[] {
  const { properties } = schema as unknown as { properties: Record<string, { items: { properties: object } }> }
  return Object.keys(properties[rowsField]!.items.properties)
}

function queryWith(query: object, after: string): URLSearchParams {
  return new URLSearchParams({ ...query, after })
}

/*
 * Whether a response has the shape that its route declares: what answers at an address may be no Laurel service, or mean to deceive. The shapes are
 * generated (schemas/responses.json): the files that declare them are 39, which a command would have to load.
 */
import { readFileSync } from 'node:fs'
import type { JobKindName } from '../resources/jobs/kinds/names.ts'
import type { RouteName } from '../server/responses.ts'

/** What has a shape of its own: the response of a route, and a job's result by its kind. */
export type CheckedName = RouteName | `GET /api/admin/jobs/:id ${JobKindName}`

/** The parts of JSON Schema that shapes use. */
type Shape = Readonly<{
  type?: string | readonly string[]
  anyOf?: readonly Shape[]
  items?: Shape
  properties?: Readonly<Record<string, Shape>>
  required?: readonly string[]
  additionalProperties?: Shape
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
}>

/** Deeper than any answer, and not too deep for code that prints it. */
const LEVELS_MAX = 64

/**
 * What the body of a 200 lacks, such as `a string at tokens[0].name`; undefined if nothing. More fields than are declared, and other words where some are
 * listed, are not issues: a newer service may have them.
 */
export function lacking(name: CheckedName, body: unknown): string | undefined {
  if (body === undefined) return 'JSON'
  if (isDeeperThan(LEVELS_MAX, body)) return `at most ${LEVELS_MAX} levels of nesting`
  return issueOf(readShapes()[name], body, '')
}

type Shapes = Readonly<Record<CheckedName, Shape>>

let shapes: Shapes | undefined

function readShapes(): Shapes {
  shapes ??= JSON.parse(readFileSync(new URL('../../schemas/responses.json', import.meta.url), 'utf8')) as Shapes
  return shapes
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

function issueOf(shape: Shape, value: unknown, at: string): string | undefined {
  const { anyOf, type = Object.keys(KINDS) } = shape
  if (anyOf !== undefined) {
    const issues = anyOf.map((one) => issueOf(one, value, at))
    return issues.includes(undefined) ? undefined : issues[0]
  }
  const kinds = [type].flat().map((name) => KINDS[name]!)
  const kind = kinds.find(({ fits }) => fits(value, shape))
  if (kind === undefined) return `${kinds.map(({ name }) => name).join(' or ')}${at === '' ? '' : ` at ${at}`}`
  return kind.issueWithin?.(value as never, shape, at)
}

type Kind = Readonly<{
  name: string
  fits: (value: unknown, shape: Shape) => boolean
  issueWithin?: (value: never, shape: Shape, at: string) => string | undefined
}>

const KINDS: Readonly<Record<string, Kind>> = {
  string: { name: 'a string', fits: (value, shape) => typeof value === 'string' && hasFormat(value, shape) },
  integer: { name: 'an integer', fits: (value, shape) => isWhole(value) && isWithin(value, shape) },
  number: { name: 'a number', fits: (value, shape) => Number.isFinite(value) && isWithin(value, shape) },
  boolean: { name: 'true or false', fits: (value) => typeof value === 'boolean' },
  null: { name: 'null', fits: (value) => value === null },
  array: { name: 'an array', fits: Array.isArray, issueWithin: issueInList },
  object: {
    name: 'an object',
    fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    issueWithin: issueInObject,
  },
}

function issueInList(list: readonly unknown[], { items = {} }: Shape, at: string): string | undefined {
  return firstIssue(list, (one, place) => issueOf(items, one, `${at}[${place}]`))
}

function issueInObject(
  object: Readonly<Record<string, unknown>>,
  { properties = {}, required = [], additionalProperties: others }: Shape,
  at: string,
): string | undefined {
  const declared = firstIssue(Object.entries(properties), ([name, shape]) => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined
    const isAbsent = value === undefined && !required.includes(name)
    return isAbsent ? undefined : issueOf(shape, value, at === '' ? name : `${at}.${name}`)
  })
  if (declared !== undefined || others === undefined) return declared
  // The service has chosen the name, so it is not repeated.
  return firstIssue(Object.values(object), (value) => issueOf(others, value, `${at}.*`))
}

function firstIssue<Item>(
  items: readonly Item[],
  issueIn: (item: Item, place: number) => string | undefined,
): string | undefined {
  for (const [place, item] of items.entries()) {
    const issue = issueIn(item, place)
    if (issue !== undefined) return issue
  }
  return undefined
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
}

function hasFormat(text: string, { pattern, format }: Shape): boolean {
  if (format !== undefined && (!FORMATS[format]!.test(text) || Number.isNaN(Date.parse(text)))) return false
  return pattern === undefined || new RegExp(pattern).test(text)
}

/** A sum beyond 2^53-1 is a BigInt (json-sums.ts). */
function isWhole(value: unknown): boolean {
  return Number.isInteger(value) || typeof value === 'bigint'
}

function isWithin(number: unknown, { minimum = -Infinity, maximum = Infinity }: Shape): boolean {
  return (number as number) >= minimum && (number as number) <= maximum
}

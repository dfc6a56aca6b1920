/*
 * The issues of a program's shape: fields that are missing, unknown or of another form.
 */
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { nearestName, plainName } from '../../text.ts'
import type { Issue } from './issue.ts'
import { programSchema } from './program-schema.ts'

export const ISSUES_MAX = 2_000
// By default the library stops at the eighth error, and a value that matches none of several alternatives counts as several.
Settings.Set({ maxErrors: ISSUES_MAX })
export const shapeCheck = Compile(programSchema)

/** What people call fields and words of a program, in lower case without punctuation. */
const USUAL_WORDS: Readonly<Record<string, string>> = {
  when: 'if condition where conditions',
  least: 'min minimum',
  every: 'per step',
  earn: 'rules',
  ladder: 'tiers steps',
  levels: 'tiers',
  by: 'factor times multiplier',
  fixed: 'bonus flat',
  'at-most': 'cap max maximum limit',
  'per-unit': 'peritem perqty',
  'time-zone': 'tz zone',
  redeem: 'redemption spend',
  floor: 'down',
  ceil: 'up',
  'half-up': 'round nearest',
  text: 'string',
  texts: 'list strings array',
  number: 'integer decimal int float',
  'yes-no': 'boolean bool yesno',
}

/** The word among `known` that is most likely meant: another name of it, or one that is spelled alike. */
function meantWord(wanted: string, known: readonly string[]): string | undefined {
  const plain = plainName(wanted)
  return known.find((name) => USUAL_WORDS[name]?.split(' ').includes(plain)) ?? nearestName(wanted, known)
}

/**
 * Lists the issues of the shape of a value, each path once. `inDoubt` are the paths that they are about, and those of fields that are missing because
 * their names are misspelt: what else is wrong there only follows.
 */
export function shapeIssues(value: unknown): { issues: Issue[]; inDoubt: ReadonlySet<string> } {
  const byPath = new Map<string, Issue>()
  const choices = new Set<string>()
  /** Fields that an unknown one means. */
  const meant = new Set<string>()
  for (const { instancePath, keyword, schemaPath, params } of shapeCheck.Errors(value)[1]) {
    const path = pathOf(instancePath)
    if (keyword === 'anyOf') choices.add(path)
    if (keyword === 'boolean') {
      const { error, field } = unknownField(instancePath.split('/').at(-1)!, schemaPath)
      if (field !== undefined) meant.add(joined(pathOf(instancePath.replace(/\/[^/]*$/, '')), field))
      byPath.set(path, { path, error, isName: true })
    } else if (keyword === 'required') {
      for (const name of (params as { requiredProperties: string[] }).requiredProperties) {
        const missing = joined(path, name)
        byPath.set(missing, { path: missing, error: 'is required' })
      }
    } else if (keyword !== 'additionalProperties' && !byPath.has(path)) {
      const allowed = (params as { allowedValues?: readonly string[] }).allowedValues ?? []
      const sent = keyword === 'enum' ? valueAt(value, instancePath) : undefined
      const near = typeof sent === 'string' ? meantWord(sent, allowed) : undefined
      const hint = near === undefined ? '' : `, did you mean ${near}?`
      const what = (params as { type?: unknown }).type === 'object' ? 'an object with ' : ''
      byPath.set(path, { path, error: `expected ${what}${expectedAt(schemaPath)}${hint}` })
    }
  }
  // Where a value resembles one of several alternatives, the issue inside it says more than the list of alternatives.
  const isBegun = (path: string) => [...byPath.keys()].some((other) => other.startsWith(`${path}.`))
  const issues = [...byPath.values()].filter(
    ({ path, error }) => !(choices.has(path) && isBegun(path)) && !(error === 'is required' && meant.has(path)),
  )
  return { issues, inDoubt: new Set([...issues.map(({ path }) => path), ...meant]) }
}

/** What is wrong with a field that its object does not have, and the one that it means. */
function unknownField(name: string, schemaPath: string): { error: string; field?: string } {
  const objects = schemasAlong(schemaPath).filter(({ properties }) => properties !== undefined)
  const { properties = {} } = objects.at(-1) ?? {}
  const known = Object.keys(properties)
  const field = meantWord(name, known)
  if (field !== undefined) return { error: `unknown field, did you mean ${field}?`, field }
  const inside = known.filter((one) => Object.hasOwn(properties[one]?.properties ?? {}, name))
  if (inside.length > 0) return { error: `unknown field: ${name} belongs inside ${inside.join(' or ')}` }
  if (Object.hasOwn(objects.at(-2)?.properties ?? {}, name))
    return { error: `unknown field: ${name} belongs one level further out` }
  return { error: `unknown field: known are ${known.join(', ')}` }
}

type SomeSchema = Readonly<{ expected?: string; properties?: Readonly<Record<string, SomeSchema>> }>

/** The schemas from the root to a place in it. */
function schemasAlong(schemaPath: string): readonly SomeSchema[] {
  const along: SomeSchema[] = [programSchema as SomeSchema]
  let here: unknown = programSchema
  for (const step of schemaPath.split('/').slice(1)) {
    here = (here as Readonly<Record<string, unknown>>)[step]
    if (typeof here !== 'object' || here === null) break
    along.push(here as SomeSchema)
  }
  return along
}

/** The innermost `expected` on the path from the root of the schema to the keyword that failed. */
function expectedAt(schemaPath: string): string {
  return schemasAlong(schemaPath).findLast(({ expected }) => expected !== undefined)?.expected ?? 'a program'
}

function valueAt(value: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>((here, step) => (here as Readonly<Record<string, unknown>>)[step], value)
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function pathOf(pointer: string): string {
  return stepsOf(pointer).reduce(joined, '')
}

/** A path and one more step. */
export function joined(path: string, step: string): string {
  if (/^\d+$/.test(step)) return `${path}[${step}]`
  return path === '' ? step : `${path}.${step}`
}

import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ENGLISH } from './message.ts'
import type { Level, Messages, Program } from './model.ts'
import { oneOf, readAboveZero } from './rules/fields.ts'
import { type Rule, ruleFields } from './rules/index.ts'

/** One thing wrong with a program: where (`earn[0].per-amount.every`) and what is expected there. */
export type Fault = Readonly<{ path: string; error: string }>

const text = (expected: string) => Type.String({ minLength: 1, maxLength: 200, expected })
const closed = (expected: string) => ({ additionalProperties: false, expected })

const levelSchema = Type.Object(
  {
    name: text('the name of the level'),
    from: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, expected: 'a whole number of points' }),
  },
  closed('name and from'),
)

const ruleSchema = Type.Object(
  { name: text('the name of the rule'), 'per-amount': Type.Optional(ruleFields['per-amount']) },
  closed('name and one kind of rule: per-amount'),
)

const messagesSchema = Type.Object(
  {
    upgraded: Type.Optional(text('a sentence')),
    stays: Type.Optional(text('a sentence')),
    falls: Type.Optional(text('a sentence')),
  },
  closed('upgraded, stays and falls'),
)

/** The shape of a program file. What a schema cannot say (the order of levels, unique names) `readProgram` checks. */
export const programSchema = Type.Object(
  {
    name: text('the name of the program'),
    rounding: oneOf(['floor', 'half-up', 'ceil']),
    levels: Type.Object(
      {
        counts: oneOf(['lifetime']),
        ladder: Type.Array(levelSchema, { minItems: 1, maxItems: 100, expected: 'a list of 1 to 100 levels' }),
      },
      closed('counts and ladder'),
    ),
    earn: Type.Array(ruleSchema, { maxItems: 200, expected: 'a list of at most 200 rules' }),
    messages: Type.Optional(messagesSchema),
  },
  closed('name, rounding, levels, earn and messages'),
)

const programCheck = Compile(programSchema)

/**
 * Reads an unknown value (parsed YAML or JSON) as a program, or lists every fault at once with its path.
 * Nothing half-read is handed on. Source: docs/programs.md.
 */
export function readProgram(value: unknown): { program: Program } | { faults: readonly Fault[] } {
  if (!programCheck.Check(value)) return { faults: shapeFaults(value) }
  const faults: Fault[] = []
  const program: Program = {
    name: value.name,
    rounding: value.rounding,
    levels: { counts: value.levels.counts, ladder: readLadder(value.levels.ladder, faults) },
    earn: value.earn.flatMap((rule, index) => readRule(rule, `earn[${index}]`, faults)),
    messages: readMessages(value.messages ?? {}),
  }
  faults.push(...repeatedNames(program.earn, 'earn'), ...repeatedNames(program.levels.ladder, 'levels.ladder'))
  return faults.length > 0 ? { faults } : { program }
}

type Written<Key extends 'messages' | 'earn'> = NonNullable<Type.Static<typeof programSchema>[Key]>

function readRule(rule: Written<'earn'>[number], path: string, faults: Fault[]): Rule[] {
  const fields = rule['per-amount']
  if (fields === undefined) {
    faults.push({ path, error: 'expected one kind of rule: per-amount' })
    return []
  }
  const [points, every] = [readAboveZero(fields.points), readAboveZero(fields.every)]
  const wrong = (name: string) =>
    faults.push({ path: `${path}.per-amount.${name}`, error: 'expected a number above 0 with at most four decimals' })
  if (points === undefined) wrong('points')
  if (every === undefined) wrong('every')
  if (points === undefined || every === undefined) return []
  return [
    {
      kind: 'per-amount',
      name: rule.name,
      points,
      every,
      of: fields.of ?? 'net',
      wholeSteps: fields['whole-steps'] ?? false,
    },
  ]
}

function readLadder(written: readonly { name: string; from: number }[], faults: Fault[]): Level[] {
  const ladder = written.map(({ name, from }) => ({ name, from: BigInt(from) }))
  ladder.forEach(({ from }, index) => {
    const path = `levels.ladder[${index}].from`
    if (index === 0 && from !== 0n) faults.push({ path, error: 'expected 0: the first level begins there' })
    if (index > 0 && from <= ladder[index - 1]!.from)
      faults.push({ path, error: 'expected more than the level before it' })
  })
  return ladder
}

function readMessages(written: Written<'messages'>): Messages {
  return { ...ENGLISH, ...written }
}

function repeatedNames(named: readonly { name: string }[], path: string): Fault[] {
  const seen = new Set<string>()
  return named.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [{ path: `${path}[${index}].name`, error: `expected a name of its own: ${name} stands there twice` }]
  })
}

function shapeFaults(value: unknown): Fault[] {
  const byPath = new Map<string, Fault>()
  for (const found of programCheck.Errors(value)) {
    const pointer = found.instancePath
    const path = pathOf(pointer)
    if (found.keyword === 'boolean') byPath.set(path, { path, error: 'is not known here' })
    else if (found.keyword === 'required') {
      for (const name of found.params.requiredProperties) {
        const missing = path === '' ? name : `${path}.${name}`
        byPath.set(missing, { path: missing, error: 'is missing' })
      }
    } else if (found.keyword !== 'additionalProperties' && !byPath.has(path)) {
      byPath.set(path, { path, error: `expected ${expectedAt(found.schemaPath)}` })
    }
  }
  return [...byPath.values()]
}

/** The nearest `expected` on the way from the root of the schema to the keyword that failed. */
function expectedAt(schemaPath: string): string {
  let here: unknown = programSchema
  let expected = 'a program'
  for (const step of schemaPath.split('/').slice(1)) {
    if (typeof here !== 'object' || here === null) break
    here = (here as Record<string, unknown>)[step]
    if (typeof here === 'object' && here !== null && 'expected' in here) expected = String(here.expected)
  }
  return expected
}

function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`), '')
}

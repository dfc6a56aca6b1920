import { InvalidInput } from '../../errors.ts'
import { finish, type InParts } from '../points/in-parts.ts'
import type { Issue } from '../points/issue.ts'
import { Type } from '../points/json-schema.ts'
import { costIssue, readProgramInParts } from '../points/program.ts'
import type { Program } from '../points/program-model.ts'
import { NO_NUL } from './patterns.ts'
import { paragraphOf } from './program-paragraphs.ts'
import { type Field, InvalidValue } from './record.ts'
import { byPlace, excessIn, type FileIssue, readYaml } from './yaml-text.ts'

const SOURCE_LENGTH_MAX = 200_000

/** The text of a program, valid or not. */
export const programSource: Field<string> = {
  schema: Type.String({ maxLength: SOURCE_LENGTH_MAX, pattern: NO_NUL }),
  read: (value) => {
    if (typeof value !== 'string' || value.length > SOURCE_LENGTH_MAX)
      throw new InvalidValue(`the text of a program of at most ${SOURCE_LENGTH_MAX} characters`, value)
    if (value.includes('\0') || !value.isWellFormed())
      throw new InvalidValue('a string without NUL or lone surrogates', value)
    return value
  },
}

/** The program in a text sent at `path`. Errors: InvalidInput with its first issue and the number of further ones. */
export function readValidProgram(text: string, path: string): Program {
  const read = readProgramText(text)
  if ('program' in read) return read.program
  const [{ line = 1, column = 1, path: place, error, see }] = read.issues as [FileIssue]
  const more = read.issues.length > 1 ? `, and ${read.issues.length - 1} more` : ''
  const paragraph = see === undefined ? '' : `; see ${see}`
  throw new InvalidInput(path, `line ${line}, column ${column}, ${place}: ${error}${paragraph}${more}`)
}

/** A program, or the issues of its text. */
export type ReadProgram = { program: Program } | { issues: readonly FileIssue[] }

/** Reads the text of a program to be published, YAML or JSON, or lists all of its issues at once, with path and line. */
export function readProgramText(text: string): ReadProgram {
  const excess = excessIn(text)
  return excess === undefined ? finish(read(text, { judge: costIssue, refusesIgnored: true })) : { issues: [excess] }
}

/** Published programs by text. Their texts never change, but all are read again whenever a version is added. */
const stored = new Map<string, ReadProgram>()
const STORED_MAX = 1_000

/** Reads the text of a published program. Its size and the cost of its conditions were checked when it was published. Caches the last 1,000. */
export function readStoredProgram(text: string): ReadProgram {
  return finish(readStoredProgramInParts(text))
}

/** The same in parts. Each takes a millisecond; the first one, which reads the YAML, up to 80 for the longest text. */
export function* readStoredProgramInParts(text: string): InParts<ReadProgram> {
  const cached = stored.get(text)
  if (cached !== undefined) return cached
  const program = yield* read(text, { judge: () => undefined, refusesIgnored: false })
  const [oldest] = stored.keys()
  if (stored.size >= STORED_MAX) stored.delete(oldest!)
  stored.set(text, program)
  return program
}

/** How strictly a text is read: published ones were checked by the bounds of their time, and remain valid. */
type Strictness = Readonly<{ judge: (program: Program) => Issue | undefined; refusesIgnored: boolean }>

function* read(text: string, { judge, refusesIgnored }: Strictness): InParts<ReadProgram> {
  const yaml = readYaml(text)
  if ('issues' in yaml) return yaml
  const ignored = refusesIgnored ? yaml.ignored : []
  const read = yield* readProgramInParts(yaml.value)
  const found = 'issues' in read ? read.issues : [judge(read.program)].filter((one) => one !== undefined)
  const placed = found.map((one) => yaml.placed({ ...one, see: paragraphOf(one) }))
  // What is said about a value that YAML cut off only follows.
  const lines = new Set(ignored.map(({ line }) => line))
  const issues = [...ignored, ...placed.filter(({ line }) => line === undefined || !lines.has(line))]
  return 'program' in read && issues.length === 0 ? read : { issues: issues.sort(byPlace) }
}

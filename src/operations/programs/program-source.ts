import { InvalidInput } from '../../errors.ts'
import { NO_NUL } from '../../ingest/patterns.ts'
import { readProgramText } from '../../ingest/program-text.ts'
import { type Field, Misfit } from '../../ingest/record.ts'
import { Type } from '../../points/json-schema.ts'
import type { Program } from '../../points/program-model.ts'

const SOURCE_LENGTH_MAX = 200_000

/** The text of a program, which may have faults. */
export const programSource: Field<string> = {
  schema: Type.String({ maxLength: SOURCE_LENGTH_MAX, pattern: NO_NUL }),
  read: (value) => {
    if (typeof value !== 'string' || value.length > SOURCE_LENGTH_MAX)
      throw new Misfit(`the text of a program of at most ${SOURCE_LENGTH_MAX} characters`, value)
    if (value.includes('\0') || !value.isWellFormed())
      throw new Misfit('a text without NUL and broken characters', value)
    return value
  },
}

/** The program of a text. `path` is where the text was sent. Errors: InvalidInput with the first of its faults and how many more there are. */
export function assertProgram(source: string, path: string): Program {
  const read = readProgramText(source)
  if (!('faults' in read)) return read.program
  const [first] = read.faults
  const more = read.faults.length > 1 ? `, and ${read.faults.length - 1} more` : ''
  throw new InvalidInput(path, `line ${first?.line ?? 1}, ${first?.path}: ${first?.error}${more}`)
}

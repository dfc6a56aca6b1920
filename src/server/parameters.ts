import { shortened, shown } from '../engine/ingest/shown.ts'
import { InvalidInput } from '../errors.ts'

/** The query parameters that a route declares. */
export type Parameters = Readonly<{ flags: Readonly<Record<string, boolean>>; texts: Readonly<Record<string, string>> }>

/** The parts of a record's schema that tell its fields from parameters. */
type RecordSchema = Readonly<{ title?: string; properties?: Readonly<Record<string, unknown>> }>

/**
 * Reads query parameters: each declared flag is exactly `true` or `false`, each text occurs at most once, others are refused (decision 12).
 * `data` is the schema of the route's body: its fields belong there. Errors: InvalidInput with the path `query.NAME`.
 */
export function readParameters(
  query: Readonly<Record<string, unknown>>,
  declared: Readonly<{ flags: readonly string[]; texts: readonly string[]; data?: RecordSchema | undefined }>,
): Parameters {
  const flags: Record<string, boolean> = {}
  for (const name of declared.flags) flags[name] = false
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    const path = `query.${shortened(name)}`
    const names = [...declared.flags, ...declared.texts]
    if (!names.includes(name)) {
      const expected =
        names.length === 0 ? 'expected no parameters' : `expected no other parameter than ${names.join(', ')}`
      throw new InvalidInput(path, expected + hintOf(name, declared.data))
    }
    if (declared.texts.includes(name)) {
      if (typeof value !== 'string') throw new InvalidInput(path, `expected one ${name}, got several`)
      texts[name] = value
      continue
    }
    if (value !== 'true' && value !== 'false')
      throw new InvalidInput(path, `expected true or false, got ${shown(value)}`)
    flags[name] = value === 'true'
  }
  return { flags, texts }
}

/** What to do about a parameter that is a field of the body, as in `?user_id=u-1` on a prediction. */
function hintOf(name: string, { title, properties }: RecordSchema = {}): string {
  return title !== undefined && Object.hasOwn(properties ?? {}, name)
    ? `: send the ${title.toLowerCase()} in the body`
    : ''
}

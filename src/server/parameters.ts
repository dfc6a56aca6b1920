import { shortened, shown } from '../engine/ingest/shown.ts'
import { InvalidInput } from '../errors.ts'

/** The query parameters that a route declares. */
export type Parameters = Readonly<{ flags: Readonly<Record<string, boolean>>; texts: Readonly<Record<string, string>> }>

/**
 * Reads query parameters: each declared flag is exactly `true` or `false`, each text occurs at most once, others are refused (decision 12).
 * Errors: InvalidInput with the path `query.NAME`.
 */
export function readParameters(
  query: Readonly<Record<string, unknown>>,
  declared: { flags: readonly string[]; texts: readonly string[] },
): Parameters {
  const flags: Record<string, boolean> = {}
  for (const name of declared.flags) flags[name] = false
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    const path = `query.${shortened(name)}`
    const known = [...declared.flags, ...declared.texts]
    if (!known.includes(name)) {
      throw new InvalidInput(
        path,
        known.length === 0 ? 'expected no parameters' : `expected no other parameter than ${known.join(', ')}`,
      )
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

import { InvalidInput } from '../errors.ts'
import { shortened, shown } from '../ingest/shown.ts'

/** Reads the parameters of a query: each declared one exactly `true` or `false`, no other (decision 12). */
export function readFlags(
  query: Readonly<Record<string, unknown>>,
  declared: readonly string[],
): Record<string, boolean> {
  const flags: Record<string, boolean> = Object.fromEntries(declared.map((name) => [name, false]))
  for (const [name, value] of Object.entries(query)) {
    const path = `query.${shortened(name)}`
    if (!declared.includes(name)) {
      throw new InvalidInput(
        path,
        declared.length === 0 ? 'expected no parameters' : `expected no other parameter than ${declared.join(', ')}`,
      )
    }
    if (value !== 'true' && value !== 'false')
      throw new InvalidInput(path, `expected true or false, got ${shown(value)}`)
    flags[name] = value === 'true'
  }
  return flags
}

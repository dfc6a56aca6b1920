import { InvalidInput } from '../errors.ts'
import { shown } from '../ingest/shown.ts'

/** Checks the headers that say what a body is (decision 3). Errors: InvalidInput with path `header.<name>`. */
export function checkMediaType(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  const type = headers['content-type']
  if (
    typeof type !== 'string' ||
    !/^application\/json[ \t]*(;[ \t]*charset=("utf-8"|utf-8)[ \t]*;?[ \t]*)?$/i.test(type)
  ) {
    throw new InvalidInput('header.content-type', `expected application/json, got ${shown(type)}`)
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && String(encoding).toLowerCase() !== 'identity') {
    throw new InvalidInput('header.content-encoding', `expected a body that is not compressed, got ${shown(encoding)}`)
  }
}

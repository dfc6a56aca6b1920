import type { IncomingHttpHeaders } from 'node:http'
import { shown } from '../../engine/ingest/shown.ts'
import { InvalidInput } from '../../errors.ts'
import { isReadable } from './compression.ts'

/** Checks the headers that describe the body (decision 2). Errors: InvalidInput with path `header.<name>`. */
export function checkMediaType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (
    typeof type !== 'string' ||
    !/^application\/json[ \t]*(;[ \t]*charset=("utf-?8"|utf-?8)[ \t]*;?[ \t]*)?$/i.test(type)
  ) {
    throw new InvalidInput('header.content-type', `expected application/json, got ${shown(type)}`)
  }
  if (!isReadable(headers))
    throw new InvalidInput(
      'header.content-encoding',
      `expected gzip or identity, got ${shown(headers['content-encoding'])}`,
    )
}

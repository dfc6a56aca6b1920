import { shown } from '../../engine/ingest/shown.ts'
import { InvalidInput } from '../../errors.ts'

/** A request without a body to a route that needs one. What follows on its connection may be a body that was not announced. */
export class MissingBody extends InvalidInput {
  constructor(hint: string) {
    super('body', `the request has no body: ${hint}`)
  }
}

const MISSING = 'expected JSON with the key data; send Content-Length'
const MISSING_FROM_GET = 'a client or proxy probably dropped it; use POST instead of GET'

/** The value of the only key of the envelope (specification 2). Errors: InvalidInput with path `body` or `data`. */
export function dataOf(body: unknown, methods: readonly string[]): unknown {
  if (body === undefined) throw new MissingBody(methods.includes('GET') ? MISSING_FROM_GET : MISSING)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidInput('body', `expected an object with the key data, got ${shown(body)}`)
  if (!Object.hasOwn(body, 'data')) throw new InvalidInput('data', 'data is required')
  return (body as { data: unknown }).data
}

/** The list under `data` (decision 42). Errors: InvalidInput. How long it may be is checked while the body arrives. */
export function listOf(body: unknown, methods: readonly string[]): readonly unknown[] {
  const data = dataOf(body, methods)
  if (!Array.isArray(data)) throw new InvalidInput('data', `expected an array of records, got ${shown(data)}`)
  return data
}

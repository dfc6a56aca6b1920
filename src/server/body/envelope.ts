import { shown } from '../../engine/ingest/shown.ts'
import { InvalidInput } from '../../errors.ts'

/** The value of the only key of the envelope (specification 2). Errors: InvalidInput with path `body` or `data`. */
export function dataOf(body: unknown, methods: readonly string[]): unknown {
  if (body === undefined) {
    const hint = methods.includes('GET')
      ? 'a client or proxy on the way probably dropped it; POST and QUERY on the same path do the same as GET'
      : 'expected JSON with the key data'
    throw new InvalidInput('body', `the request has no body: ${hint}`)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidInput('body', `expected an object with the key data, got ${shown(body)}`)
  if (!Object.hasOwn(body, 'data')) throw new InvalidInput('data', 'data is required')
  return (body as { data: unknown }).data
}

/** The list under `data` (decision 42). Errors: InvalidInput. How long it may be is checked while the body arrives. */
export function listOf(body: unknown, methods: readonly string[]): readonly unknown[] {
  const data = dataOf(body, methods)
  if (!Array.isArray(data)) throw new InvalidInput('data', `expected a list of records, got ${shown(data)}`)
  return data
}

import { createClient } from './generated/client/index.ts'
import { Laurel } from './generated/sdk.gen.ts'
import { repeatingFetch } from './repeating-fetch.ts'

export type * from './generated/types.gen.ts'
export { Laurel }

export type LaurelOptions = Readonly<{
  /** The address of the service, such as `http://127.0.0.1:8080`. */
  url: string
  token: string
  /** How often a request that is safe to repeat is sent again; default 4. */
  retries?: number
  /** Sends a request; default: the global `fetch`. */
  fetch?: typeof fetch
}>

/** A client of the service at an address, with a method for each operation. */
export function createLaurel({ url, token, retries = 4, fetch = globalThis.fetch }: LaurelOptions): Laurel {
  const client = createClient({ baseUrl: url, auth: token, fetch: repeatingFetch(fetch, retries) })
  return new Laurel({ client })
}

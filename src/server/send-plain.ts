import type { ServerResponse } from 'node:http'
import { JSON_TYPE } from './page-formats.ts'

type PlainResponse = Readonly<{
  status: number
  /** JSON, as it is or compressed. */
  payload: string | Buffer
  headers: Readonly<Record<string, string>>
}>

/** Sends a response without the framework; the caller adds the headers of its route and its request id. */
export function sendPlain(response: ServerResponse, { status, payload, headers }: PlainResponse): void {
  response.writeHead(status, {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(payload),
  })
  response.end(payload)
}

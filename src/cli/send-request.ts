import type { IncomingMessage } from 'node:http'

type SentRequest = Readonly<{
  method: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  timeoutMs: number
}>

type ReceivedResponse = Readonly<{ status: number; location: string | undefined; text: string }>

/** Several times the longest result of a job. */
const RESPONSE_CHARACTERS_MAX = 32 * 2 ** 20

/**
 * Sends a request and reads the whole response. It follows no redirect: that would send the token to wherever it leads. `fetch` would do the
 * same, but loading it takes a third of the processor time of a short command, and an import of node:http loads it, too. Errors: those of
 * node:http, an AbortError after `timeoutMs`, an Error for a response of more than 32 million characters.
 */
export async function sendRequest(url: URL, request: SentRequest): Promise<ReceivedResponse> {
  const { method, headers = {}, body, timeoutMs } = request
  const http = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const sent = http.request(url, { method, headers, signal: AbortSignal.timeout(timeoutMs) })
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // What fails once the response has begun fails its reading below, too. A connection that another protocol takes over closes without an error.
  sent
    .on('response', resolve)
    .on('error', reject)
    .on('close', () => reject(new Error('it closed the connection')))
  sent.end(body)
  const response = await promise
  let text = ''
  for await (const part of response.setEncoding('utf8')) {
    text += part
    if (text.length > RESPONSE_CHARACTERS_MAX) throw new Error('its answer is too long to be one of Laurel')
  }
  return { status: response.statusCode!, location: response.headers.location, text }
}

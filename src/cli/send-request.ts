import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

type SentRequest = Readonly<{
  method: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  timeoutMs: number
}>

type ReceivedAnswer = Readonly<{ status: number; location: string | undefined; text: string }>

/**
 * Sends a request and reads the whole answer. It follows no redirect: that would send the token to wherever it leads. `fetch` would do the
 * same, but loading it takes a third of the processor time of a short command, and an import of node:http loads it, too. Errors: those of
 * node:http, an AbortError after `timeoutMs`.
 */
export async function sendRequest(url: URL, request: SentRequest): Promise<ReceivedAnswer> {
  const { method, headers = {}, body, timeoutMs } = request
  const http = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const sent = http.request(url, { method, headers, signal: AbortSignal.timeout(timeoutMs) })
  // What fails once the answer has begun fails its reading below, too.
  sent.on('error', () => undefined)
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += part
  return { status: answer.statusCode!, location: answer.headers.location, text }
}

import type { IncomingMessage } from 'node:http'

const DISCARD_BYTES_MAX = 100 * 1024 * 1024
const DISCARD_TIMEOUT_MS = 10_000

/**
 * Yields an answer, and ends when the rest of its request has been read and discarded: closing the connection while its client is still
 * sending would lose the answer. At most 100 MiB and 10 s, then it gives up on the sender (decision 74).
 */
export async function* answerBeforeRest(answer: string, request: IncomingMessage): AsyncGenerator<string> {
  yield answer
  const { promise: isOver, resolve: stop } = Promise.withResolvers<void>()
  let bytes = 0
  const onData = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DISCARD_BYTES_MAX) stop()
  }
  const timer = setTimeout(stop, DISCARD_TIMEOUT_MS)
  request.on('data', onData).once('close', stop).once('end', stop)
  request.resume()
  try {
    if (!request.complete && !request.destroyed) await isOver
  } finally {
    clearTimeout(timer)
    request.off('data', onData).pause()
  }
}

import type { IncomingMessage } from 'node:http'
import { DISCARDED_BODY } from '../../routing/body-limits.ts'

/**
 * Yields an answer, and ends when the rest of its request has been read and discarded: closing the connection while its client is still
 * sending would lose the answer. Beyond `DISCARDED_BODY` it gives up on the sender (decision 74).
 */
export async function* answerBeforeRest(answer: string, request: IncomingMessage): AsyncGenerator<string> {
  yield answer
  const { promise: isOver, resolve: stop } = Promise.withResolvers<void>()
  let bytes = 0
  const onData = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DISCARDED_BODY.bytesMax) stop()
  }
  const timer = setTimeout(stop, DISCARDED_BODY.timeoutMs)
  request.on('data', onData).once('close', stop).once('end', stop)
  request.resume()
  try {
    if (!request.complete && !request.destroyed) await isOver
  } finally {
    clearTimeout(timer)
    request.off('data', onData).pause()
  }
}

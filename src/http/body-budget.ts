import type { FastifyReply } from 'fastify'
import type { Reserve } from './body.ts'

/**
 * The memory that bodies may take together, over all requests. Answers how a request reserves some of it, until its answer is out or its
 * client has left; where not enough is left, nothing is reserved.
 */
export function createBodyBudget(bytesMax: number): (reply: FastifyReply) => Reserve {
  let reserved = 0
  return ({ raw }) => {
    let own = 0
    return (bytes) => {
      if (raw.destroyed || reserved + bytes > bytesMax) return false
      // Closed is also a response whose client has left, and which is never finished.
      if (own === 0)
        raw.on('close', () => {
          reserved -= own
        })
      own += bytes
      reserved += bytes
      return true
    }
  }
}

import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { InParts } from '../engine/points/in-parts.ts'

/** Milliseconds between pauses: with the longest part, as long as such work delays anyone else's answer. */
const PART_MS = 2

/** Runs work in parts on this thread, with pauses in which other requests are served. Errors: those of the work. */
export async function runInParts<Result>(work: InParts<Result>): Promise<Result> {
  let pausedAt = performance.now()
  let part = work.next()
  for (; !part.done; part = work.next())
    if (performance.now() - pausedAt > PART_MS) {
      await yieldToOthers()
      pausedAt = performance.now()
    }
  return part.value
}

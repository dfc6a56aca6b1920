/*
 * Waiting for what comes about by itself. A busy machine takes longer for everything, so no wait ends at a moment of the clock that it may reach.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

type Holds = () => boolean | Promise<boolean>

const PATIENCE_MS = 10 * 60_000
const LOOK_MS = 10
/** A second's worth of looks, 50 ms apart. Whoever looks shares the machine with what is looked at: on a busy one both take longer. */
const LOOKS_OF_A_SECOND = 19

/** Waits until something holds; fails, with what was promised, only where it never will. */
export async function eventually(promise: string, holds: Holds): Promise<void> {
  const patienceEndsAt = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    assert(performance.now() < patienceEndsAt, promise)
    await sleep(LOOK_MS)
  }
}

/** Waits until something holds, for a second of a machine that is not busy. */
export async function withinASecond(promise: string, holds: Holds): Promise<void> {
  for (let looks = 1; !(await holds()); looks += 1) {
    assert(looks < LOOKS_OF_A_SECOND, `not within a second: ${promise}`)
    await sleep(50)
  }
}

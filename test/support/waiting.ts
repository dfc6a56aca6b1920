/*
 * Waiting for conditions. A busy machine takes longer for everything, so no wait has a time limit that it might reach.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

type Holds = () => boolean | Promise<boolean>

const PATIENCE_MS = 10 * 60_000
const POLL_MS = 10
/** A second's worth of checks, 50 ms apart: the checks share the machine with what they wait for, so on a busy one both take longer. */
const CHECKS_PER_SECOND = 19

/** Waits until a condition holds; fails with `promise` only if it never does. */
export async function eventually(promise: string, holds: Holds): Promise<void> {
  const patienceEndsAt = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    assert(performance.now() < patienceEndsAt, promise)
    await sleep(POLL_MS)
  }
}

/** Waits until a condition holds, for about a second of a machine that is not busy. */
export async function withinASecond(promise: string, holds: Holds): Promise<void> {
  for (let looks = 1; !(await holds()); looks += 1) {
    assert(looks < CHECKS_PER_SECOND, `not within a second: ${promise}`)
    await sleep(50)
  }
}

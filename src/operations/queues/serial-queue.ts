/**
 * Runs pieces of work one after the other, in the order in which they were asked for. One that fails does not hold up the next. As long
 * as the number of callers: each waits for its own work.
 */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/** An empty queue. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

/**
 * Runs pieces of work one after the other, in the order of the calls. A failure does not affect the next. The queue is as long as there are
 * callers waiting for their own work.
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

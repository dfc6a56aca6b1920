/** How many connections are resumed for each millisecond that passes: some 6 % of the thread's time, however busy it is. */
const READ_PER_MS = 1
/** And for each millisecond in which the thread was idle: a refusal takes some 60 microseconds. */
const READ_PER_IDLE_MS = 16
/** Credit that was saved up in a quiet moment does not become a burst. */
const READ_AT_ONCE_MAX = 128
const LOOK_MS = 2

export type ReadPauses<Connection> = Readonly<{
  /** The connection is not read until its turn comes. */
  add: (connection: Connection) => void
  delete: (connection: Connection) => void
  /** Resumes all of them at once. */
  end: () => void
}>

/**
 * Connections whose request was refused are not read for a while, to leave the thread its time for answers: what they send waits in the
 * kernel, and so do their clients. `readAgain` is called for each, first come, first served, as the thread has time.
 */
export function createReadPauses<Connection>(readAgain: (connection: Connection) => void): ReadPauses<Connection> {
  const paused = new Set<Connection>()
  let looking: NodeJS.Timeout | undefined
  let before = performance.eventLoopUtilization()
  let credit = 0

  function look(): void {
    const now = performance.eventLoopUtilization()
    const { idle, active } = performance.eventLoopUtilization(now, before)
    before = now
    credit = Math.min(READ_AT_ONCE_MAX, credit + (idle + active) * READ_PER_MS + idle * READ_PER_IDLE_MS)
    for (const connection of paused) {
      if (credit < 1) break
      credit -= 1
      paused.delete(connection)
      readAgain(connection)
    }
    looking = paused.size > 0 ? setTimeout(look, LOOK_MS).unref() : undefined
  }

  return {
    add(connection) {
      paused.add(connection)
      if (looking !== undefined) return
      before = performance.eventLoopUtilization()
      looking = setTimeout(look, LOOK_MS).unref()
    },
    delete: (connection) => paused.delete(connection),
    end() {
      for (const connection of paused) readAgain(connection)
      paused.clear()
    },
  }
}

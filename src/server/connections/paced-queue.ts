/** How many get their turn for each millisecond that passes: some 6 % of the thread's time for refusals, however busy it is. */
const TURNS_PER_MS = 1
/** And for each millisecond in which the thread was idle: a refusal takes some 60 microseconds. */
const TURNS_PER_IDLE_MS = 16
/** Credit that was saved up in a quiet moment does not become a burst. */
const TURNS_AT_ONCE_MAX = 128
const LOOK_MS = 2

export type PacedQueue<Connection> = Readonly<{
  /** Waits for its turn, once however often it is added. */
  add: (connection: Connection) => void
  delete: (connection: Connection) => void
  /** Gives all their turn at once; who is added later waits as before. */
  end: () => void
}>

/**
 * Connections that wait for the thread to have time, to leave it its time for the responses of others. `take` is called for each, first come, first
 * served, as the thread has time.
 */
export function createPacedQueue<Connection>(take: (connection: Connection) => void): PacedQueue<Connection> {
  const waiting = new Set<Connection>()
  let looking: NodeJS.Timeout | undefined
  let before = performance.eventLoopUtilization()
  let credit = 0

  function look(): void {
    const now = performance.eventLoopUtilization()
    const { idle, active } = performance.eventLoopUtilization(now, before)
    before = now
    credit = Math.min(TURNS_AT_ONCE_MAX, credit + (idle + active) * TURNS_PER_MS + idle * TURNS_PER_IDLE_MS)
    for (const connection of waiting) {
      if (credit < 1) break
      credit -= 1
      waiting.delete(connection)
      take(connection)
    }
    looking = waiting.size > 0 ? setTimeout(look, LOOK_MS).unref() : undefined
  }

  return {
    add(connection) {
      waiting.add(connection)
      if (looking !== undefined) return
      before = performance.eventLoopUtilization()
      looking = setTimeout(look, LOOK_MS).unref()
    },
    delete: (connection) => waiting.delete(connection),
    end() {
      const all = [...waiting]
      waiting.clear()
      for (const connection of all) take(connection)
    },
  }
}

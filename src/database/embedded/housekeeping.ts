import type { SessionQueue } from '../db/session-queue.ts'
import type { WorkerStats } from './pglite-thread.ts'
import type { Statements } from './statements.ts'

/** The work of a server's background processes, which the embedded database lacks. */
export interface Housekeeping {
  /** Call after each turn: if it wrote, the idle time starts over. Reads do not count, or health checks would put maintenance off for ever. */
  settle(): void
  /** Stops maintenance. */
  stop(): void
  /** Call during a turn: writes a checkpoint if the log has grown long, to keep recovery fast even in the middle of a bulk load. */
  boundLog(): Promise<void>
}

/** After this many idle times without a pause, any free moment will do: one write a second, day and night, must not put maintenance off for ever. */
const IDLE_TIMES_MAX = 60
const LOG_BYTES_MAX = 256 * 2 ** 20

/** Analyses, vacuums and writes checkpoints when there were no writes for `idleMs` and a turn is free; under steady writes, after 60 times that. */
export function createHousekeeping(
  statements: Statements,
  stats: () => WorkerStats,
  sessionQueue: SessionQueue,
  idleMs: number,
): Housekeeping {
  let timer: NodeJS.Timeout | undefined
  let settledAt = 0
  let tidyAt = 0
  let checkpointAt = 0
  let latestAt = Number.POSITIVE_INFINITY

  function settle(): void {
    const { walBytes } = stats()
    if (walBytes === tidyAt || walBytes === settledAt) return
    settledAt = walBytes
    latestAt = Math.min(latestAt, performance.now() + IDLE_TIMES_MAX * idleMs)
    // After that, the running timer is no longer restarted.
    if (performance.now() < latestAt) wait()
  }

  function wait(): void {
    clearTimeout(timer)
    const leftMs = Math.max(idleMs / IDLE_TIMES_MAX, latestAt - performance.now())
    timer = setTimeout(() => void tidy(), Math.min(idleMs, leftMs)).unref()
  }

  async function tidy(): Promise<void> {
    const releaseSession = sessionQueue.tryAcquire()
    if (releaseSession === undefined) return wait()
    try {
      for (const step of [...(await dueSteps(statements)), 'checkpoint']) {
        if (sessionQueue.hasWaiters()) {
          wait()
          break
        }
        await statements.script(step)
        if (step !== 'checkpoint') continue
        tidyAt = settledAt = checkpointAt = stats().walBytes
        latestAt = Number.POSITIVE_INFINITY
      }
    } catch {
      // The disk may be full, for example: writers get the error themselves, and the next quiet moment tries again.
      wait()
    }
    releaseSession()
  }

  return {
    settle,
    stop: () => clearTimeout(timer),
    async boundLog() {
      const { walBytes } = stats()
      if (walBytes - checkpointAt < LOG_BYTES_MAX) return
      checkpointAt = walBytes
      await statements.script('checkpoint').catch(() => {})
    },
  }
}

// Autovacuum's formulas, except that inserts alone trigger no vacuum: it reads the whole table, and nobody else is served meanwhile.
// A crash loses the counters; a table that was never analysed is recognised by its reltuples.
const dueTables = `
  select format('%I.%I', s.schemaname, s.relname) as name,
    s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
      or (c.reltuples < 0 and pg_relation_size(s.relid) > 0) as analyze_due,
    s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0) as vacuum_due,
    (select min(indexrelid::regclass::text) from pg_index i join pg_class b on b.oid = indexrelid join pg_am a on a.oid = b.relam
      where i.indrelid = s.relid and amname = 'brin') as filters
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  order by s.n_mod_since_analyze desc`

interface DueTable {
  readonly name: string
  readonly analyze_due: boolean
  readonly vacuum_due: boolean
  /** A BRIN index, which covers new pages only once it is told to summarise them, as a vacuum does. */
  readonly filters: string | null
}

async function dueSteps(statements: Statements): Promise<string[]> {
  await statements.query('select pg_stat_force_next_flush()')
  const tables = await statements.query<DueTable>(dueTables)
  return tables.flatMap(({ name, analyze_due, vacuum_due, filters }) => {
    if (vacuum_due) return [`vacuum (analyze) ${name}`]
    if (!analyze_due) return []
    // ANALYZE comes last, because it resets the counter that makes the table due.
    return [...(filters === null ? [] : [`select brin_summarize_new_values('${filters}')`]), `analyze ${name}`]
  })
}

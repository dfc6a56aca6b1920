/*
 * Processor time of a process by kind of thread, as Linux counts it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * What a process spent while it was watched: microseconds for each thing that it did, all threads together, and the shares of its main thread and of
 * V8's helper threads. Once a service is warm, these do little but collect garbage; they also compile. The rest are the service's other threads, such
 * as the embedded database.
 */
export type Threads = Readonly<{ each: number; main: number; helpers: number }>

/** Processor time so far, in ticks of the kernel. Threads that have ended are not counted. */
type Ticks = Readonly<{ all: number; main: number; helpers: number }>

const HELPER = 'node-V8Worker'
/** It counts in hundredths of a second, whatever its own clock is. */
const TICK_US = 10_000

/**
 * Runs `act`, which returns how many things were done, and says what a process spent on them; nothing without a process, or where the platform has no
 * `/proc`.
 */
export async function watchThreads(
  pid: number | undefined,
  act: () => Promise<number>,
): Promise<Readonly<{ count: number; threads: Threads | undefined }>> {
  if (pid === undefined || !existsSync(`/proc/${pid}/task`)) return { count: await act(), threads: undefined }
  const before = ticksIn(statsOf(pid), pid)
  const count = await act()
  return { count, threads: threadsBetween(before, ticksIn(statsOf(pid), pid), count) }
}

/** What several processes spent for each thing that they did together; undefined unless all were watched. */
export function meanThreads(
  loads: readonly Readonly<{ perSecond: number; threads: Threads | undefined }>[],
): Threads | undefined {
  const all = loads.reduce((sum, { perSecond }) => sum + perSecond, 0)
  let mean: Threads = { each: 0, main: 0, helpers: 0 }
  for (const { perSecond, threads } of loads) {
    if (threads === undefined) return undefined
    const share = perSecond / all
    mean = {
      each: mean.each + threads.each * share,
      main: mean.main + threads.main * share,
      helpers: mean.helpers + threads.helpers * share,
    }
  }
  return mean
}

/** What was spent on `count` things between two counts of ticks. */
export function threadsBetween(before: Ticks, after: Ticks, count: number): Threads {
  const all = after.all - before.all
  const share = (name: 'main' | 'helpers') => (all === 0 ? 0 : (after[name] - before[name]) / all)
  return { each: (all * TICK_US) / count, main: share('main'), helpers: share('helpers') }
}

/** Adds up the threads of a process, each as in `/proc/PID/task/TID/stat`. The main thread has the id of the process. */
export function ticksIn(stats: readonly string[], pid: number): Ticks {
  const ticks = { all: 0, main: 0, helpers: 0 }
  for (const stat of stats) {
    const [, id, name, rest] = /^(\d+) \((.*)\) (.*)$/s.exec(stat)!
    // User and system time are the fields 14 and 15; the third is the first one after the name.
    const [user, system] = rest!.split(' ').slice(11, 13)
    const spent = Number(user) + Number(system)
    ticks.all += spent
    if (Number(id) === pid) ticks.main += spent
    else if (name === HELPER) ticks.helpers += spent
  }
  return ticks
}

function statsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      return [readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')]
    } catch {
      return [] // The thread has ended meanwhile.
    }
  })
}

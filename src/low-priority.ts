import { setPriority } from 'node:os'

/** As for `nice`: somebody waits for a `task`, nobody for a `job`, which has 15 of 1,024 parts of a core beside a thread that always has work. */
export const NICENESS = { task: 10, job: 19 } as const

/** Lets requests go before this thread and those that it starts, for good. Only on Linux: elsewhere it would affect the whole process. */
export function lowerPriority(work: keyof typeof NICENESS): void {
  if (process.platform === 'linux') setPriority(NICENESS[work])
}

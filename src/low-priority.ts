import { setPriority } from 'node:os'

/** The lowest niceness, as for `nice`: beside a thread that always has work, 15 of 1,024 parts of a core. */
const PRIORITY = 19

/** Lets requests go before this thread and those that it starts, for good. Only on Linux: elsewhere it would affect the whole process. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(PRIORITY)
}

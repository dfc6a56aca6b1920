import { styleText } from 'node:util'

const startedAt = performance.now()

/** Writes a line of progress to stderr, with the seconds since the start. Dim on a terminal. */
export function logProgress(text: string): void {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)
  const line = `${seconds} s  ${text}`
  process.stderr.write(`${process.stderr.isTTY ? styleText('dim', line, { stream: process.stderr }) : line}\n`)
}

/**
 * How many minutes the rest of a run takes, about. `done` and `left` are what the work that is done and the rest take on two cores, in minutes; the
 * rest is expected to take as much more or less as what is done did. Until anything is done, it is `left`.
 */
export function minutesLeft(done: number, left: number, minutesSoFar: number): number {
  return done === 0 ? left : (left * minutesSoFar) / done
}

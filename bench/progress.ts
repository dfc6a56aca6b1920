import { styleText } from 'node:util'

const startedAt = performance.now()

/** Writes a line of progress to stderr, with the seconds since the start. Dim on a terminal. */
export function logProgress(text: string): void {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)
  const line = `${seconds} s  ${text}`
  process.stderr.write(`${process.stderr.isTTY ? styleText('dim', line, { stream: process.stderr }) : line}\n`)
}

/*
 * How a command fails: its exit code, and what it prints.
 */
import type { Command } from 'commander'
import { DamagedData, OperatorError, Unavailable } from '../errors.ts'

/** Every exit code except 0. Scripts may rely on them (docs/operating.md). */
export const EXIT = {
  /** The service refused, a file has issues, the ledger has differences, stopping took too long, or a worker was killed. */
  refused: 1,
  usage: 2,
  unavailable: 3,
  /** An import that skipped records. */
  skipped: 4,
  /** The data is damaged, or Laurel itself failed. */
  crashed: 70,
} as const

/** A command could not do what was asked: the service refused, a file has issues, the ledger has differences. */
export class CommandFailed extends Error {}

/** What answers at the address of a service is none, or of a version that this one does not understand. */
export class NotLaurel extends CommandFailed {}

/** The error for a response to a route whose shape is another; `expected` is what it lacks. */
export function unexpectedResponse(url: string, route: string, expected: string): NotLaurel {
  return new NotLaurel(
    `${url} sent an unexpected response to ${route}: expected ${expected}; is this the URL of a Laurel service?`,
  )
}

/** Whether the service refused what was asked, such as for want of a scope. */
export function isRefusal(error: unknown): boolean {
  return error instanceof CommandFailed && !(error instanceof NotLaurel)
}

/** The exit code of a command that threw an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof DamagedData) return EXIT.crashed
  if (error instanceof OperatorError) return EXIT.usage
  if (error instanceof Unavailable) return EXIT.unavailable
  return error instanceof CommandFailed ? EXIT.refused : EXIT.crashed
}

/** What an error says to a person; a fault of ours deserves its stack. Control characters are escaped. */
export async function failureText(error: unknown): Promise<string> {
  const text = isForUser(error) ? failureMessage(error) : ((error as Error).stack ?? error)
  // Loaded only here: most commands succeed.
  const { escapeControlsInLines } = await import('../text.ts')
  return escapeControlsInLines(String(text))
}

/** Whether an error was written for a person to read: any other is a fault of ours. */
function isForUser(error: unknown): error is Error {
  return error instanceof DamagedData || exitCodeOf(error) !== EXIT.crashed
}

/** The message of an error; if something cannot be reached, also the reason, which names the address that was tried. */
function failureMessage(error: Error): string {
  if (!(error instanceof Unavailable && error.cause instanceof Error)) return error.message
  const { cause } = error
  return `${error.message} (${reasonOf(cause instanceof AggregateError ? cause.errors[0] : cause)})`
}

/** Why a connection failed, in a few words. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}

/** Puts Commander's usage errors on one line like all our errors, and names the nearest help. */
export function explainWrongUse(command: Command, path: string): void {
  command.configureOutput({
    outputError: (text, write) => {
      const message = text
        .trim()
        .replace(/^error: /, 'laurel: ')
        .replaceAll('\n', ' ')
      write(`${message} (see ${path} --help)\n`)
    },
  })
  for (const one of command.commands) explainWrongUse(one, `${path} ${one.name()}`)
}

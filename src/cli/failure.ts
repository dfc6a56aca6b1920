import { Unavailable } from '../errors.ts'

/** A command could not do what was asked: the service refused, a file has faults, the ledger has differences. */
export class CommandFailed extends Error {}

/** The message of an error; if something cannot be reached, also the reason, which names the address that was tried. */
export function failureMessage(error: Error): string {
  if (!(error instanceof Unavailable && error.cause instanceof Error)) return error.message
  const { cause } = error
  return `${error.message} (${reasonOf(cause instanceof AggregateError ? cause.errors[0] : cause)})`
}

/** Why a connection failed, in a few words. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}

/*
 * Options that name a span of time.
 */
import { timestamp } from '../../engine/ingest/fields.ts'
import { InvalidInput, OperatorError } from '../../errors.ts'

export type TimeRangeOptions = Readonly<{ from?: string | undefined; to?: string | undefined }>

/** The moments that `--from` and `--to` name; a date means its start in UTC. Errors: OperatorError, also if nothing lies between them. */
export function readTimeRange(options: TimeRangeOptions): TimeRangeOptions {
  const [from, to] = [readInstantOption('--from', options.from), readInstantOption('--to', options.to)]
  if (from !== undefined && to !== undefined && from >= to) throw new OperatorError('--from must be before --to')
  return { from, to }
}

function readInstantOption(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return timestamp.read(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  } catch {
    throw new OperatorError(
      `${option} is "${text}": expected a timestamp like 2027-01-31T12:00:00Z, or a date like 2027-01-31`,
    )
  }
}

/** Runs `read`, and reports an invalid query parameter as the option that was typed. Errors: OperatorError; those of `read`. */
export function withOptions<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new OperatorError(`${error.path.replace('query.', '--').replaceAll('_', '-')}: ${error.message}`)
  }
}

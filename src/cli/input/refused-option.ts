import { InvalidInput, OperatorError } from '../../errors.ts'

/** Runs `read`, and reports an invalid query parameter as the option that was typed. Errors: OperatorError; those of `read`. */
export function withOptions<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new OperatorError(`${error.path.replace('query.', '--').replaceAll('_', '-')}: ${error.message}`)
  }
}

import { InvalidInput, OperatorError } from '../../errors.ts'

/** What an operation refuses of its query, as the option that was typed. Errors: OperatorError; those of `act`. */
export async function withOptions<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new OperatorError(`${error.path.replace('query.', '--').replaceAll('_', '-')}: ${error.message}`)
  }
}

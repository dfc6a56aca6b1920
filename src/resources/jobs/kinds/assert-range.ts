import { InvalidInput } from '../../../errors.ts'

/** Errors: InvalidInput if the range between two moments is empty. */
export function assertRange(from: string | undefined, to: string | undefined): void {
  if (from !== undefined && to !== undefined && from >= to)
    throw new InvalidInput('data.to', `expected a moment after from, got "${to}"`)
}

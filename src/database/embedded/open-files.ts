import { readFileSync } from 'node:fs'
import { OperatorError } from '../../errors.ts'

/** A first start opens nearly as many at once. With fewer than 64, the engine takes the want of files for damage. */
const OPEN_FILES_MIN = 256

/** Errors: OperatorError if this process may open too few files. Elsewhere than on Linux, the limit is not known. */
export function assertOpenFiles(place: string): void {
  const limit = /^Max open files +(\d+)/m.exec(readLimits())?.[1]
  if (limit !== undefined && Number(limit) < OPEN_FILES_MIN) throw new TooFewFiles(place)
}

/** The limit of open files is too low for the database at a place. */
export class TooFewFiles extends OperatorError {
  constructor(place: string, options?: ErrorOptions) {
    super(
      `cannot open the database ${place}: the limit of open files is too low: raise it to 1024 (ulimit -n 1024)`,
      options,
    )
  }
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

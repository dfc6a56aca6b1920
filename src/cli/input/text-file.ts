import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** The text of a file. Errors: OperatorError. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Writes a text to a file, and creates its directory if needed. Errors: OperatorError. */
export function writeTextFile(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    throw new OperatorError(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}

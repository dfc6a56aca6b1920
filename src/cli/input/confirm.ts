import { createInterface } from 'node:readline/promises'
import { OperatorError } from '../../errors.ts'

/**
 * Returns only if a person agrees: by `--yes`, or by answering the question on a terminal. `warning` is a sentence that ends with a full
 * stop. Errors: OperatorError if they do not, or if there is nobody to ask.
 */
export async function confirm(warning: string, yes: boolean): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new OperatorError(`${warning} Nothing was changed; add --yes to do it`)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const response = await asking.question(`${warning} Continue? [y/N] `)
  asking.close()
  if (!/^y(?:es)?$/i.test(response.trim())) throw new OperatorError('nothing was changed')
}

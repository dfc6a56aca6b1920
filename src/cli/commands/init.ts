import { existsSync, writeFileSync } from 'node:fs'
import { OperatorError } from '../../errors.ts'
import { withClient } from '../client.ts'
import { askAboutShop, type ShopOptions } from '../input/shop-answers.ts'
import { casesTextOf, programTextOf, type ShopFiles, settingsOf } from '../output/shop-files.ts'
import { programCheck } from './program-check.ts'

export type InitOptions = ShopOptions & Readonly<{ url?: string; out: string; force?: true }>

/**
 * `laurel init`: makes a program, test orders for it and the settings of the shop from a few answers, and says what comes next. Publishes
 * nothing. Errors: OperatorError for an answer that is none, or a file that is there already.
 */
export async function init({ url, out, force, ...options }: InitOptions): Promise<void> {
  const files: ShopFiles = { program: out, cases: out.replace(/(?:\.ya?ml)?$/, '.cases.yaml') }
  for (const file of Object.values(files))
    if (force !== true && existsSync(file))
      throw new OperatorError(`${file} is there already: add --force to write it anew`)
  const answers = await askAboutShop(options)
  // First what can fail: where no service and no database is, nothing is written.
  await withClient(url, async (client) => {
    const settings = settingsOf(answers)
    await client.call('PUT /api/admin/settings', { data: settings })
    for (const [key, value] of Object.entries(settings)) process.stdout.write(`${key} is ${value}\n`)
  })
  write(files.program, programTextOf(answers, files))
  write(files.cases, casesTextOf(answers))
  programCheck(files.program, { cases: [files.cases] })
  process.stdout.write(`
Next:
  npx laurel program publish ${files.program}      # it holds from then on
  npx laurel import players FILE --dry-run      # your customers; then products and orders
  npx laurel program backtest ${files.program}     # what your orders would have earned
`)
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new OperatorError(`${path}: cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
  process.stdout.write(`${path} is written\n`)
}

import { existsSync, writeFileSync } from 'node:fs'
import { OperatorError } from '../../errors.ts'
import { withClient } from '../client.ts'
import { askAboutShop, type ShopAnswers, type ShopOptions } from '../input/shop-answers.ts'
import { printJson } from '../output/print.ts'
import { shellWord } from '../output/shell-word.ts'
import { casesTextOf, programTextOf, type ShopFiles, settingsOf } from '../output/shop-files.ts'
import { programCheck } from './program-check.ts'

export type InitOptions = ShopOptions & Readonly<{ url?: string; out: string; force?: true; json?: true }>

/**
 * `laurel init`: makes a program, test orders for it and the settings of the shop from a few answers, and says what comes next. Publishes
 * nothing. Errors: OperatorError for an answer that is none, or a file that is there already.
 */
export async function init({ url, out, force, json, ...options }: InitOptions): Promise<void> {
  const files: ShopFiles = { program: out, cases: out.replace(/(?:\.ya?ml)?$/, '.cases.yaml') }
  for (const file of Object.values(files))
    if (force !== true && existsSync(file))
      throw new OperatorError(`${file} is there already: add --force to write it anew`)
  const answers = await askAboutShop(options)
  const settings = settingsOf(answers)
  // First what can fail: where no service and no database is, nothing is written.
  await withClient(url, async ({ call }) => {
    await call('PUT /api/admin/settings', { data: settings })
  })
  write(files.program, programTextOf(answers, files))
  write(files.cases, casesTextOf(answers))
  const next = nextCommands(answers, files)
  if (json) return printJson({ settings, ...files, next: next.map(({ command }) => command) })
  for (const [key, value] of Object.entries(settings)) process.stdout.write(`${key} is ${value}\n`)
  for (const file of Object.values(files)) process.stdout.write(`${file} is written\n`)
  programCheck(files.program, { cases: [files.cases] })
  process.stdout.write(`\nNext:\n${next.map(({ why, command }) => `  # ${why}\n  ${command}\n`).join('')}`)
}

/** What to type next, and why. */
function nextCommands({ countries }: ShopAnswers, { program }: ShopFiles) {
  const [country] = countries
  const isOne = countries.length === 1
  return [
    {
      why: 'puts it into force; from so early on that it holds for the orders of the past that you import, too. Later it is too late for that',
      command: `npx laurel program publish ${program} --from 2000-01-01T00:00:00Z`,
    },
    {
      why: 'your customers; then products and orders (docs/import.md)',
      command: `npx laurel import players FILE --dry-run${isOne ? ` --default Country=${shellWord(country!)}` : ''}`,
    },
    {
      why: 'what your orders would have earned, after a change of the program',
      command: `npx laurel program backtest ${program}`,
    },
  ]
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new OperatorError(`${path}: cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}

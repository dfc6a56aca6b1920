import { existsSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { OperatorError } from '../../errors.ts'
import type { RouteResponse } from '../../server/responses.ts'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import type { ShopAnswers, ShopOptions } from '../input/shop-answers.ts'
import { settingText, shellWord } from '../output/command-words.ts'
import { printJson, printLine, printText } from '../output/print.ts'
import type { ShopFiles } from '../output/shop-files.ts'

export function defineInit(command: Command): void {
  command
    .option(...URL_OPTION)
    .option('--currency <code>', 'currency of prices, like EUR (default: the stored one)')
    .option('--decimals <number>', 'decimal places of prices')
    .option('--countries <names>', 'countries of customers, comma-separated')
    .option('--time-zone <name>', 'time zone of the shop, like Europe/Berlin')
    .option('--points <number>', 'points per step')
    .option('--every <amount>', 'money to spend per step')
    .option('--levels <levels>', 'levels and their points, like Bronze:0,Silver:500,Gold:2000')
    .option('--out <file>', 'the program file; the test orders go beside it', 'program.yaml')
    .option('--force', 'overwrite existing files')
    .option('--dry-run', 'print the settings that would change and the program, and change nothing')
    .option('--json', 'as JSON: settings, files and next commands')
    .addHelpText(
      'after',
      `
Prompts for missing options on a terminal, otherwise uses the defaults.

Settings of the shop that it changes: money.currency and, unless all customers are from India, players.required, players.genders,
players.pincode, players.phone and players.dates. It prints what changes first. laurel settings reset KEY restores a default.`,
    )
    .action(init)
}

type Settings = Readonly<Record<string, string>>

type InitOptions = ShopOptions & Readonly<{ url?: string; out: string; force?: true; dryRun?: boolean; json?: true }>

/**
 * `laurel init`: makes a program, test orders for it and the settings of the shop from a few answers. Says which settings change before they do,
 * and what comes next. Without an option for it, the stored currency stays. Publishes nothing; a dry run changes and writes nothing. Errors:
 * OperatorError for invalid answers, or a file that exists already.
 */
async function init({ url, out, force, dryRun = false, json, ...options }: InitOptions): Promise<void> {
  // Loaded only here: help needs neither time zones nor a reader of programs.
  const [{ askAboutShop, readShopOptions }, { casesTextOf, programTextOf, settingsOf }, { programCheck }] =
    await Promise.all([
      import('../input/shop-answers.ts'),
      import('../output/shop-files.ts'),
      import('./program/check.ts'),
    ])
  const files: ShopFiles = { program: out, cases: out.replace(/(?:\.ya?ml)?$/, '.cases.yaml') }
  for (const file of Object.values(files))
    if (force !== true && !dryRun && existsSync(file))
      throw new OperatorError(`${file} exists already: add --force to overwrite it`)
  const fromOptions = readShopOptions(options)
  // What can fail comes first: without a service or a database, nothing is written.
  const { answers, settings } = await withClient(url, async ({ call }) => {
    const before = await call('GET /api/admin/settings')
    const answers = await askAboutShop(fromOptions, storedAnswers(before))
    const settings = settingsOf(answers)
    if (!json) printText(changesText(before, settings))
    if (!dryRun) await call('PUT /api/admin/settings', { data: settings })
    return { answers, settings }
  })
  const program = programTextOf(answers, files)
  if (!dryRun) {
    write(files.program, program)
    write(files.cases, casesTextOf(answers))
  }
  const next = nextCommands(answers, files)
  if (json) return printJson({ dry_run: dryRun, settings, ...files, next: next.map(({ command }) => command) })
  if (dryRun) {
    printLine`Dry run, nothing was changed or written. ${files.program} would be:\n`
    return printText(program)
  }
  for (const file of Object.values(files)) printLine`${file} is written`
  programCheck(files.program, { cases: [files.cases] })
  printText(
    `\nRules for common wishes: docs/cookbook.md\nTo try these rules on your own past orders before you publish them: docs/import.md\n\nNext:\n${next.map(({ why, command }) => `  # ${why}\n  ${command}\n`).join('')}`,
  )
}

/** What the settings of the shop already answer. */
function storedAnswers({ settings }: RouteResponse<'GET /api/admin/settings'>): ShopOptions {
  const stored = settings.find(({ key }) => key === 'money.currency')?.value
  return typeof stored === 'string' ? { currency: stored } : {}
}

/** Which settings of the shop change, printed before they do. */
function changesText({ settings: before }: RouteResponse<'GET /api/admin/settings'>, settings: Settings): string {
  const affected = before.filter(({ key }) => Object.hasOwn(settings, key))
  const values = affected.map(({ key, value }) => ({ key, was: settingText(value), is: settings[key] }))
  const changed = values.filter(({ was, is }) => is !== was)
  if (changed.length === 0) return 'no setting of the shop has to change\n'
  const lines = changed.map(({ key, was, is }) => `  ${key}: ${is}, was ${was}\n`)
  return `settings of the shop that change (npx --no laurel settings reset KEY restores a default):\n${lines.join('')}`
}

/** What to type next, and why. */
function nextCommands({ countries }: ShopAnswers, { program }: ShopFiles) {
  const [country] = countries
  const isOne = countries.length === 1
  return [
    {
      why: 'puts it into effect early enough for the past orders that you import. Once orders are recorded, it is too late for that',
      command: `npx --no laurel program publish ${program} --from 2000-01-01T00:00:00Z`,
    },
    {
      why: 'your customers; then products and orders (docs/import.md)',
      command: `npx --no laurel import players FILE --dry-run${isOne ? ` --default Country=${shellWord(country!)}` : ''}`,
    },
    {
      why: 'what your orders would have earned, after a change of the program',
      command: `npx --no laurel program backtest ${program}`,
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

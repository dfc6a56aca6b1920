import type { Command } from 'commander'
import { withClient } from '../client.ts'
import { collected, loadedFrom, URL_OPTION } from '../command-parts.ts'
import { printFile, printJson, printLine, printText, table } from '../output/print.ts'
import { reachableAt } from '../service-address.ts'

export function defineProgram(program: Command): void {
  program
    .command('check <file>')
    .description('validate a program file and run its test orders')
    .option('--cases <file>', 'file of test orders with expectations; repeatable', collected, [])
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./program/check.ts')).programCheck))
  program
    .command('probe <file>')
    .description('search for orders that exploit a program; needs no service')
    .option('--seed <number>', 'random seed, for reproducible runs (default: random, printed)')
    .option('--runs <count>', 'attempts per check (default: 4000)')
    .option('--out <directory>', 'directory for files that replay findings (default: <file>.probe)')
    .option('--json', 'as JSON')
    .addHelpText('after', '\ndocs/what-if.md says what counts as a finding. Exit code 1: there are findings.')
    .action(loadedFrom(async () => (await import('./program/probe.ts')).programProbe))
  program
    .command('publish <file>')
    .description('publish a program file as the next version')
    .option(...URL_OPTION)
    .option('--from <timestamp>', 'effective time, like 2027-01-01T00:00:00Z (default: now)')
    .option('--note <text>', 'purpose of the version')
    .option('--change-zone', 'allow a new time zone, which shifts when points become usable and expire')
    .option('--json', 'as JSON')
    .action(programPublish)
  program
    .command('withdraw <version>')
    .description('withdraw a version before it takes effect: it stays listed, but never does')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(programWithdraw)
  program
    .command('list')
    .description('list all versions')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(programList)
  program
    .command('show [version]')
    .description('print a version as a file (default: the one in effect)')
    .option(...URL_OPTION)
    .option('--json', 'as JSON, with its number, times and note')
    .action(programShow)
  program
    .command('diff <program> [other]')
    .description('show what changes from one program to another; with one name, from the version in effect')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nA program is a file, the number of a version, or current.')
    .action(loadedFrom(async () => (await import('./program/diff.ts')).programDiff))
  program
    .command('backtest <file>')
    .description('recompute recorded orders under a program file, and compare with the programs in effect')
    .option('--from <timestamp>', 'orders from this time on, like 2027-01-31T12:00:00Z; a date means its start in UTC')
    .option('--to <timestamp>', 'orders before this time')
    .option(
      '--weeks-earlier <number>',
      'move the rules that begin after today by this many weeks, so that there are orders for them',
    )
    .option(
      '--attributes <source>',
      "recorded: attributes of products as orders kept them; now: where an order lacks one, that of today's catalogue (default: recorded)",
    )
    .option(
      '--point-value <amount>',
      'value of a point, like 0.01 (default: redeem.value in effect, else money.point-value, else redeem.value of the file)',
    )
    .option('--json', 'as JSON')
    .option('--html <file>', 'also write a page with charts')
    .addHelpText('after', '\ndocs/what-if.md says how to read the output.')
    .action(loadedFrom(async () => (await import('./program/backtest.ts')).programBacktest))
}

type ProgramPublishOptions = Readonly<{
  url?: string
  from?: string
  note?: string
  changeZone?: true
  json?: true
}>

/** `laurel program publish`: checks a file, and publishes it as the next version. */
async function programPublish(file: string, options: ProgramPublishOptions): Promise<void> {
  const { url, from, note, changeZone: change_zone, json } = options
  // Only this needs the program reader.
  const { readProgramFile } = await import('../input/program-file.ts')
  const { source } = readProgramFile(file)
  await withClient(url, async (client) => {
    const published = await client.call('POST /api/admin/programs', { data: { source, from, note, change_zone } })
    if (json) return printJson(published)
    printLine`${published.name} is version ${published.version}, in effect from ${published.from}`
  })
}

/** `laurel program list`: every version, with a mark on the one in effect and on those that were withdrawn. */
async function programList({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { programs } = await client.call('GET /api/admin/programs')
    if (json) return printJson(programs)
    const rows = programs.map((program) => [
      String(program.version),
      program.name,
      program.holds_from === '-infinity' ? 'always' : program.holds_from,
      program.withdrawn_at !== null ? 'withdrawn' : program.holds_now ? 'in effect' : '',
      program.publisher,
      program.published_at,
      program.note,
    ])
    printText(table(['version', 'name', 'in effect from', '', 'publisher', 'published', 'note'], rows))
  })
}

/**
 * `laurel program show`: a version's file as it was published, so that `laurel program show > program.yaml` is a file to start from. Where a service is
 * running, its first line tells editors where the schema is (decision 164).
 */
async function programShow(version = 'current', { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const shown = await client.call('GET /api/admin/programs/:version', { params: { version } })
    if (json) return printJson(shown)
    printFile(`${client.url === undefined ? '' : schemaLine(shown.source, client.url)}${shown.source}`)
  })
}

/** The line for editors above a program; empty if it has one, or is JSON, which has no comments. */
function schemaLine(source: string, serviceUrl: string): string {
  if (source.includes('yaml-language-server:') || /^\s*\{/.test(source)) return ''
  return `# yaml-language-server: $schema=${reachableAt(serviceUrl, '/schemas/program.json')}\n`
}

/** `laurel program withdraw`: takes back a version before it takes effect. */
async function programWithdraw(version: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const withdrawn = await client.call('POST /api/admin/programs/:version/withdraw', { params: { version } })
    if (json) return printJson(withdrawn)
    printLine`version ${version} is withdrawn and will not take effect`
  })
}

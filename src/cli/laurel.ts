/*
 * The commands. What each does stands in the file of its name; here are words, options and exit codes.
 */
import { Command, CommanderError } from 'commander'
import project from '../../package.json' with { type: 'json' }
import { describeConfig, readConfig } from '../config.ts'
import { OperatorError, Unavailable } from '../errors.ts'
import { SCOPES } from '../ingest/token.ts'
import { type Client, CommandFailed, openClient, reasonOf } from './client.ts'
import { importFile } from './commands/import.ts'
import { verify } from './commands/ledger-verify.ts'
import { runMigrations } from './commands/migrate.ts'
import { showPlayer } from './commands/player-show.ts'
import { showPredictionReport } from './commands/predictions-report.ts'
import { programCheck, programList, programPublish, programShow, programWithdraw } from './commands/program.ts'
import { backtest } from './commands/program-backtest.ts'
import { checkCases } from './commands/program-cases.ts'
import { diffPrograms, namesVersion } from './commands/program-diff.ts'
import { tokenCreate, tokenList, tokenRevoke, tokenRotate } from './commands/token.ts'
import { table } from './output/table.ts'
import { serve } from './serve/serve.ts'

/** 0 is good, 4 an import that skipped records; the rest is here. Scripts may rely on them (docs/operating.md). */
const EXIT = { refused: 1, usage: 2, unavailable: 3, bug: 70 } as const

const laurel = new Command('laurel')
  .description('A self-hosted loyalty service: what an order will earn, exactly and with reasons.')
  .version(project.version)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(oneLine(text)) })

laurel
  .command('serve')
  .description('run the service (the same as npm start)')
  .option('--workers <count>', 'processes that answer, on PostgreSQL; goes before WORKERS')
  .action(({ workers }: { workers?: string }) => serve({ WORKERS: workers }))

laurel
  .command('migrate')
  .description("bring the database's schema to this version, without serving")
  .action(runMigrations)

laurel
  .command('config')
  .description('print every setting in force, with its unit and where it comes from')
  .option('--json', 'as JSON')
  .action(({ json }: { json?: true }) => {
    const settings = describeConfig()
    const rows = settings.map(({ name, value, unit, origin, about }) => [name, value, unit, origin, about])
    process.stdout.write(
      json
        ? `${JSON.stringify(settings, null, 2)}\n`
        : table(['setting', 'value', 'unit', 'origin', 'what it is'], rows),
    )
  })

const token = laurel.command('token').description('create, list, revoke and rotate tokens')
withService(token.command('create <name>'), 'create a token and show it, once')
  .requiredOption('--scope <scope...>', `what it may do: ${SCOPES.join(', ')} (admin includes the others)`)
  .option('--expires <moment>', 'when it ends, like 2027-01-31T00:00:00Z')
  .action((name: string, { scope, expires, url }: { scope: string[]; expires?: string; url?: string }) =>
    using(url, (client) =>
      tokenCreate(client, { name, scopes: scope.flatMap((one) => one.split(',')), expiresAt: expires }),
    ),
  )
withService(token.command('list'), 'list all tokens; none is shown itself')
  .option('--json', 'as JSON')
  .action(({ json, url }: { json?: true; url?: string }) => using(url, (client) => tokenList(client, json === true)))
withService(token.command('revoke <id>'), 'end a token').action((id: string, { url }: { url?: string }) =>
  using(url, (client) => tokenRevoke(client, id)),
)
withService(token.command('rotate <id>'), 'replace a token by a new one of the same name and scopes').action(
  (id: string, { url }: { url?: string }) => using(url, (client) => tokenRotate(client, id)),
)

withService(
  laurel.command('import <noun> <file>'),
  'import players, products, orders or balances from CSV, JSON or NDJSON, gzip too',
)
  .option('--dry-run', 'say what would happen, and write nothing')
  .option('--skipped <path>', 'where the skipped records go, with reasons (default: <file>.skipped.ndjson)')
  .action((noun: string, file: string, { url, dryRun, skipped }: { url?: string; dryRun?: true; skipped?: string }) =>
    using(url, importFile({ noun, file, dryRun: dryRun === true, skippedPath: skipped })),
  )

const player = laurel.command('player').description('look at a player')
withService(
  player.command('show <user_id>'),
  'print a player as stored, the points and level, and the entries with their reasons',
)
  .option('--limit <count>', 'how many entries, newest first', '20')
  .option('--after <cursor>', 'entries older than those of the page before')
  .option('--json', 'as JSON')
  .action((userId: string, { url, ...wish }: { url?: string; json?: true; limit: string; after?: string }) =>
    using(url, (client) => showPlayer(client, userId, wish)),
  )

laurel
  .command('ledger')
  .description('look after the ledger')
  .command('verify')
  .description('derive every account and every order anew, and say what differs; reads the database itself')
  .action(verify)

laurel
  .command('predictions')
  .description('look at what was predicted')
  .command('report')
  .description(
    'say how many recorded orders came out as predicted, and why the others did not; reads the database itself',
  )
  .option(
    '--from <moment>',
    'orders recorded first at this moment or later, like 2027-01-01T00:00:00Z; a date is its beginning, UTC',
  )
  .option('--to <moment>', 'orders recorded first before this moment')
  .option('--json', 'as JSON')
  .addHelpText(
    'after',
    `
The record of an order is held against the last prediction kept from before it was first recorded. A prediction
came true if it named the points and the level that were recorded, and the order still gives these points.
docs/operating.md says what the reasons mean.`,
  )
  .action(showPredictionReport)

const program = laurel.command('program').description('check, publish and look at points programs')
program
  .command('check <file>')
  .description('say everything that is wrong with a program file, and try it on test orders; nothing is published')
  .option('--cases <file>', 'test orders with what is expected of them; may be given several times', collected, [])
  .action((file: string, { cases }: { cases: string[] }) =>
    cases.length === 0 ? programCheck(file) : checkCases(file, cases),
  )
program
  .command('probe <file>')
  .description('look for orders that earn what no shop means to give; nothing is published, no service needed')
  .option(
    '--seed <number>',
    'where the search begins: the same seed gives the same answer (default: by chance, and told)',
  )
  .option('--out <directory>', 'where the files that replay findings go (default: <file>.probe)')
  .option('--json', 'as JSON')
  .addHelpText('after', '\nWhat counts as a finding stands in docs/programs.md. Exit code 1: there are findings.')
  .action(async (file: string, wish: { seed?: string; out?: string; json?: true }) => {
    // Only this command needs the library behind it, and every other one starts sooner without.
    const { probeProgram } = await import('./commands/program-probe.ts')
    probeProgram(file, wish)
  })
withService(program.command('publish <file>'), 'publish a program file as the next version')
  .option('--from <moment>', 'from when it holds, like 2027-01-01T00:00:00Z (default: now)')
  .option('--note <text>', 'what the version is for')
  .action((file: string, { url, ...wish }: { url?: string; from?: string; note?: string }) =>
    using(url, (client) => programPublish(client, file, wish)),
  )
withService(
  program.command('withdraw <version>'),
  'take back a version before its moment has come: it stays listed and never holds',
).action((version: string, { url }: { url?: string }) => using(url, (client) => programWithdraw(client, version)))
withService(program.command('list'), 'list all versions')
  .option('--json', 'as JSON')
  .action(({ json, url }: { json?: true; url?: string }) => using(url, (client) => programList(client, json === true)))
withService(program.command('show [version]'), 'print a version as a file (default: the one that holds now)').action(
  (version: string | undefined, { url }: { url?: string }) =>
    using(url, (client) => programShow(client, version ?? 'current')),
)
withService(
  program.command('diff <program> [other]'),
  'show what changes from one program to another; with one name, from the version that holds now to it',
)
  .addHelpText('after', '\nA program is a file, the number of a version, or current.')
  .action(async (one: string, other: string | undefined, { url }: { url?: string }) => {
    const [from, to] = other === undefined ? ['current', one] : [one, other]
    if (namesVersion(from) || namesVersion(to)) await using(url, (client) => diffPrograms(from, to, client))
    else await diffPrograms(from, to)
  })

program
  .command('backtest <file>')
  .description(
    'compute the recorded orders under a program file, and compare with what held; reads the database itself',
  )
  .option('--from <moment>', 'orders from this moment on, like 2027-01-31T12:00:00Z; a date is its beginning, UTC')
  .option('--to <moment>', 'orders before this moment')
  .option('--point-value <amount>', 'what a point is worth, like 0.01')
  .option('--json', 'as JSON')
  .option('--html <file>', 'write a page with charts, too')
  .addHelpText('after', '\nHow to read what it prints stands in docs/what-if.md.')
  .action(backtest)

/** What Commander says about a wrong use, on one line as all our errors. */
function oneLine(text: string): string {
  const said = text
    .trim()
    .replace(/^error: /, 'laurel: ')
    .replaceAll('\n', ' ')
  return `${said} (laurel --help lists the commands)\n`
}

function collected(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

function withService(command: Command, description: string): Command {
  return command
    .description(description)
    .option('--url <url>', 'the service to talk to (default: the one that runs here, else the database itself)')
}

async function using(url: string | undefined, act: (client: Client) => Promise<void>): Promise<void> {
  const client = await openClient(readConfig(), url)
  try {
    await act(client)
  } finally {
    await client.close()
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  if (error instanceof OperatorError) return EXIT.usage
  if (error instanceof Unavailable) return EXIT.unavailable
  return error instanceof CommandFailed ? EXIT.refused : EXIT.bug
}

/** The message of an error; where something is out of reach also the reason that was met, for it tells which address was tried. */
function said(error: Error): string {
  if (!(error instanceof Unavailable && error.cause instanceof Error)) return error.message
  const { cause } = error
  return `${error.message} (${reasonOf(cause instanceof AggregateError ? cause.errors[0] : cause)})`
}

try {
  await laurel.parseAsync()
} catch (error) {
  const code = exitCodeOf(error)
  // Commander has said its own; a fault of ours is worth its stack.
  if (!(error instanceof CommanderError)) {
    process.stderr.write(`laurel: ${code === EXIT.bug ? ((error as Error).stack ?? error) : said(error as Error)}\n`)
  }
  process.exit(code)
}

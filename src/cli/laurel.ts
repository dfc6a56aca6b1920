/*
 * The command line: words, options and exit codes. What a command does is in the file of its name under commands/.
 */
import { Argument, Command, CommanderError, Option } from 'commander'
import project from '../../package.json' with { type: 'json' }
import { DamagedData, OperatorError, Unavailable } from '../errors.ts'
import { SIGN_IN_CODE_LIFETIME } from '../resources/sessions/sign-in-code-lifetime.ts'
import type { VersionedNoun } from '../resources/state-versions/forget-version.ts'
import { ROLES, SCOPES } from '../scopes.ts'
import { EXIT } from './exit-codes.ts'
import { CommandFailed, failureMessage } from './failure.ts'
import { STATS_VIEWS } from './stats-views.ts'

const COMPLETION_HELP = `
bash, in ~/.bashrc:  source <(laurel completion bash)
zsh, in ~/.zshrc:    source <(laurel completion zsh)
fish:                laurel completion fish > ~/.config/fish/completions/laurel.fish

Completion works for the command laurel. Where that is not installed, as in a clone, define it (fish: function laurel; npx laurel $argv; end):
  laurel() { npx laurel "$@"; }`

const laurel = new Command('laurel')
  .description('A self-hosted loyalty service: what an order will earn, exactly and with reasons.')
  .version(project.version)
  .exitOverride()

laurel
  .command('serve')
  .description('run the service (the same as npm start)')
  .option('--workers <count>', 'processes that answer, on PostgreSQL; overrides WORKERS')
  .action(run(async () => (await import('./serve/serve.ts')).serve))

withService(
  laurel.command('init'),
  'make a program and test orders from a few answers, and change the settings of your shop to fit; publishes nothing',
)
  .option('--currency <code>', 'the currency of prices, like EUR')
  .option('--decimals <number>', 'the decimals of prices')
  .option('--countries <names>', 'where customers are from, with commas between them')
  .option('--time-zone <name>', 'where a day of the shop begins, like Europe/Berlin')
  .option('--points <number>', 'how many points are earned at a time')
  .option('--every <amount>', 'for every how much money spent')
  .option('--levels <levels>', 'like Bronze:0,Silver:500,Gold:2000')
  .option('--out <file>', 'the program file; the test orders go beside it', 'program.yaml')
  .option('--force', 'overwrite existing files')
  .option('--dry-run', 'print the settings that would change and the program, and change nothing')
  .option('--json', 'as JSON: the settings, the files, and what comes next')
  .addHelpText(
    'after',
    `
What no option answers is asked on a terminal; elsewhere the default is taken.

Settings of the shop that it changes: money.currency and, unless all customers are from India, players.required, players.genders,
players.pincode, players.phone and players.dates. It prints what changes first. laurel settings reset KEY restores a default.`,
  )
  .action(run(async () => (await import('./commands/init.ts')).init))

laurel
  .command('migrate')
  .description("bring the database's schema to this version, without serving")
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/migrate.ts')).runMigrations))

laurel
  .command('config')
  .description('print every setting in effect, with its unit and where it comes from')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/config.ts')).showConfig))

withService(
  laurel.command('console'),
  `print a link that signs in to the console once, within ${SIGN_IN_CODE_LIFETIME}`,
)
  .option(
    '--token <id>',
    'the id of the token that the session will have (default: the one that the command calls with)',
  )
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/console-link.ts')).printConsoleLink))

withService(
  laurel.command('stats').addArgument(new Argument('[what]', 'which figures').choices(STATS_VIEWS).default('summary')),
  'what happened: the figures of a span of days, of the feeds or of the service',
)
  .option('--from <day>', 'the first day, like 2026-01-31 (default: 30 days including the last one)')
  .option('--to <day>', 'the last day (default: today)')
  .option('--basis <basis>', 'ordered or booked: by the day of the order or of the recording (default: ordered)')
  .option('--per <period>', 'the period of a line: day, month or span (default: span)')
  .option('--compare', 'the summary beside that of the span before, on the same weekdays')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/stats.ts')).stats))

const session = laurel.command('session').description('see who is signed in to the console, and end sessions')
withService(session.command('list'), 'list the sessions that have not ended')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/session.ts')).sessionList))
withService(session.command('end <id>'), 'end a session: its browser has to sign in again')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/session.ts')).sessionEnd))

withService(laurel.command('acts'), 'print what people did, newest first: who, when, what, to what')
  .option('--by <token>', 'only what was done with this token: its name or its id')
  .option('--act <kind>', 'only acts of this kind, like player-revealed')
  .option('--limit <rows>', 'how many, at most 500 (default: 50)')
  .option('--after <cursor>', 'continue after the previous page')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/acts-list.ts')).actsList))

const token = laurel.command('token').description('create, list, revoke and rotate tokens')
withService(token.command('create <name>'), 'create a token and show it, once')
  .option('--scope <scope...>', `what it may do: ${SCOPES.join(', ')} (admin includes the others)`)
  .addOption(new Option('--role <role>', 'the scopes of a person').choices(Object.keys(ROLES)).conflicts('scope'))
  .option('--expires <when>', 'when it expires: after 30d, 24h or 2w, or at a moment like 2027-01-31T00:00:00Z')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/token.ts')).tokenCreate))
withService(token.command('list'), 'list all tokens, without their secret texts')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/token.ts')).tokenList))
withService(token.command('revoke <id>'), 'revoke a token')
  .option('--yes', 'do not ask, even if it is the last one with the scope admin')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/token.ts')).tokenRevoke))
withService(token.command('rotate <id>'), 'replace a token by a new one of the same name and scopes')
  .option(
    '--overlap <time>',
    'how long the old one stays valid, like 24h; at most 30d (default: it is revoked at once)',
  )
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/token.ts')).tokenRotate))

withService(
  laurel
    .command('import')
    .addArgument(oneOf('<noun>', ['players', 'products', 'orders', 'balances']))
    .argument('<file>'),
  'import players, products, orders or balances from CSV, TSV, JSON or NDJSON, also as gzip; - is standard input',
)
  .option('--dry-run', 'say what would happen, and write nothing')
  .option('--preset <product>', 'read the export of shopify or woocommerce (players, products, orders)')
  .option('--map <field=columns>', 'where a field comes from; may be given several times', collected, [])
  .option('--default <field=value>', 'a value for empty cells; may be given several times', collected, [])
  .option(
    '--values <field=meanings>',
    'what words of the file mean, like Gender=Frau:female,Herr:male; may be given several times',
    collected,
    [],
  )
  .option(
    '--leave-out <fields>',
    'fields to leave out where the file has no valid value, like Phone,Email; products: such lines of orders',
    collected,
    [],
  )
  .option(
    '--ignore-without <fields>',
    'ignore records without a value in one of these fields, such as receipts without a customer: user_id',
    collected,
    [],
  )
  .option('--date-format <format>', 'how the file writes dates, like DD/MM/YYYY (DD or D, MM or M, YYYY)')
  .option('--time-zone <name>', 'the time zone of moments that name none, like Europe/Berlin (default: UTC)')
  .option('--decimal <sign>', 'comma for 12,50, point for 12.50 (default: point)')
  .option('--delimiter <sign>', 'what separates columns: one character, or tab (default: a comma, in .tsv a tab)')
  .option('--encoding <name>', 'utf-8, windows-1252 or latin1 (default: utf-8)')
  .option('--format <name>', 'csv, tsv, json or ndjson, if the name of the file does not say')
  .option('--skipped <path>', 'where the skipped records go, with reasons (default: <file>.skipped.ndjson)')
  .option('--json', 'as JSON')
  .addHelpText(
    'after',
    `
The first line of a table names its columns. --map joins columns and texts with +; of alternatives separated by | it takes the first that is
not empty. Put a name with blanks, + or | in double quotes, a text with letters in single ones. Where an order has several rows, sum(COLUMN)
adds up its total_amount, discount or total_qty, and first(COLUMNS) accepts rows that differ:
  laurel import players customers.csv --map Name="First Name"+" "+"Last Name" --default Country=DE --date-format DD.MM.YYYY
  laurel import products price-list.csv --delimiter ";" --encoding windows-1252 --decimal comma
  laurel import orders orders_export.csv --preset shopify --dry-run
  laurel import orders receipts.csv --map "total_amount=sum(Amount)" --map products.product_sku_id=SKU --map products.amount=Amount
  gunzip -c orders.gz | laurel import orders - --format csv
Skipped records can be corrected in their file and imported again, without these options. docs/import.md says more.`,
  )
  .action(run(async () => (await import('./commands/import.ts')).importFile))

const player = laurel.command('player').description('look at players, and adjust or redeem their points')
withService(
  player.command('show <user_id>'),
  'print a player as stored, the points and level, and the entries with their reasons',
)
  .option('--reveal', 'with personal data; the log says who looked')
  .option('--limit <count>', 'how many entries, newest first', '20')
  .option('--after <cursor>', 'continue after the previous page')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/player.ts')).playerShow))

withService(
  player.command('adjust <user_id> [points]'),
  'add points to a player, or take them away with a minus; or undo an adjustment',
)
  .requiredOption('--reason <text>', 'why, for whoever reads the entry')
  .option('--id <id>', 'makes it safe to repeat: the same id adjusts once (default: a new one)')
  .option('--undo <id>', 'undo the adjustment with this id, instead of points')
  .option('--no-level', 'the points count for the balance, but not for the level')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/player.ts')).playerAdjust))

withService(
  player.command('redeem <user_id> [points]'),
  'spend points of a player, or hold them; or buy a reward with them',
)
  .requiredOption('--reason <text>', 'what for, for whoever reads the entry')
  .option('--reward <name>', 'a reward of the program, instead of points')
  .option('--hold', 'hold the points for as long as the program says')
  .option('--order <order_id>', 'the only order that may use what is held')
  .option('--id <id>', 'makes it safe to repeat: the same id redeems once (default: a new one)')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/player.ts')).playerRedeem))

withService(
  player.command('void <user_id> <redemption_id>'),
  'release held points, or give back points that were spent without an order',
)
  .requiredOption('--reason <text>', 'why, for whoever reads the entry')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/player.ts')).playerVoid))

withService(
  player.command('find <text>'),
  'list the players who have this as their id, e-mail address, phone number or referral code',
)
  .option('--reveal', 'with personal data; the log says who looked')
  .option('--limit <count>', 'how many', '20')
  .option('--after <cursor>', 'continue after the previous page')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/player.ts')).playerFind))

const order = laurel.command('order').description('look at recorded orders')
withService(order.command('show <order_id>'), 'print an order as recorded, with its lines')
  .option('--reveal', 'also whose it is, where the id is masked as personal data; the log says who looked')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/order-show.ts')).orderShow))

const product = laurel.command('product').description('look at products')
withService(product.command('show <product_sku_id>'), 'print a product as stored')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/product-show.ts')).productShow))

for (const [parent, id] of [
  [order, '<order_id>'],
  [player, '<user_id>'],
  [product, '<product_sku_id>'],
] as const)
  withService(
    parent.command(`forget-version ${id}`),
    'accept the next state whatever its version, after one was sent too high',
  )
    .option('--json', 'as JSON')
    .action(
      run(async () => {
        const { forgetVersionOf } = await import('./commands/forget-version.ts')
        return (given: string, options: { url?: string; json?: true }) =>
          forgetVersionOf(parent.name() as VersionedNoun, given, options)
      }),
    )

laurel
  .command('ledger')
  .description('check the ledger')
  .command('verify')
  .description('derive every account and every order again, and say what differs; also while a service is running')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/ledger-verify.ts')).ledgerVerify))

const points = laurel.command('points').description('what players can spend, in total and one by one')
points
  .command('report')
  .description(
    'outstanding points of a span: opening, issued, redeemed, adjusted, reinstated, expired, closing, and when they expire; also while a service is running',
  )
  .requiredOption('--from <day>', 'the first day, like 2026-01-01')
  .requiredOption('--to <day>', 'the last day')
  .option('--known-at <moment>', 'as known at this moment: what was recorded later does not count')
  .option(
    '--closed-at <moment>',
    'when the days before were reported: what was recorded for them later is the line late',
  )
  .option(
    '--point-value <amount>',
    'what a point is worth, like 0.01 (default: redeem.value of the version in effect, else the setting money.point-value)',
  )
  .addOption(new Option('--csv', 'one figure per line, for spreadsheets').conflicts('json'))
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/points-report.ts')).pointsReport))
points
  .command('expiring')
  .description('whose points expire on which day, for mailings; also while a service is running')
  .requiredOption('--from <day>', 'the first day on which they can no longer be spent')
  .requiredOption('--to <day>', 'the last such day')
  .addOption(new Option('--csv', 'as CSV').conflicts('json'))
  .option('--json', 'a line of JSON for each')
  .action(run(async () => (await import('./commands/points-expiring.ts')).pointsExpiring))

laurel
  .command('predictions')
  .description('look at what was predicted')
  .command('report')
  .description(
    'say how many recorded orders came out as predicted, and why the others did not; also while a service is running',
  )
  .option(
    '--from <moment>',
    'orders first recorded at this moment or later, like 2027-01-01T00:00:00Z; a date means its start in UTC',
  )
  .option('--to <moment>', 'orders first recorded before this moment')
  .option('--json', 'as JSON')
  .addHelpText(
    'after',
    `
The record of an order is compared with the last prediction kept from before it was first recorded. A prediction
came true if it named the points and the level that were recorded, and the order still gives these points.
docs/operating.md says what the reasons mean.`,
  )
  .action(run(async () => (await import('./commands/predictions-report.ts')).predictionsReport))

const job = laurel.command('job').description('list, cancel and resume the long work of a service')
withService(job.command('list'), 'list the jobs that are waiting, running or ended within a week')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/job.ts')).jobList))
withService(job.command('cancel <id>'), 'cancel a waiting or running job')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/job.ts')).jobCancel))
withService(
  job.command('backfill'),
  'resume counting entries from before statistics were kept, after that was cancelled; a service starts it by itself',
)
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/job.ts')).jobBackfill))

const settings = laurel.command('settings').description('look at and change the settings of the shop')
withService(settings.command('show'), 'print every setting of the shop, with who changed it and when')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/settings.ts')).settingsShow))
withService(settings.command('set <key> <value>'), 'change a setting; lists have commas between their entries')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/settings.ts')).settingsSet))
withService(settings.command('reset <key>'), 'put a setting back to its default')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/settings.ts')).settingsReset))

const program = laurel.command('program').description('check, publish and look at points programs')
program
  .command('check <file>')
  .description('list everything that is wrong with a program file, and try it on test orders; nothing is published')
  .option('--cases <file>', 'test orders with what is expected of them; may be given several times', collected, [])
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/program/check.ts')).programCheck))
program
  .command('probe <file>')
  .description('look for orders that earn what no shop means to give; nothing is published, no service needed')
  .option(
    '--seed <number>',
    'where the search begins: the same seed gives the same answer (default: random, and shown)',
  )
  .option('--runs <count>', 'how many tries for each kind: fewer are faster, more find rarer holes (default: 4000)')
  .option('--out <directory>', 'where the files that replay findings go (default: <file>.probe)')
  .option('--json', 'as JSON')
  .addHelpText('after', '\ndocs/programs.md says what counts as a finding. Exit code 1: there are findings.')
  .action(run(async () => (await import('./commands/program/probe.ts')).programProbe))
withService(program.command('publish <file>'), 'publish a program file as the next version')
  .option('--from <moment>', 'from when it holds, like 2027-01-01T00:00:00Z (default: now)')
  .option('--note <text>', 'what the version is for')
  .option('--change-zone', 'publish another time zone, although points wait or expire by the days of the present one')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/program/publish.ts')).programPublish))
withService(
  program.command('withdraw <version>'),
  'withdraw a version before it takes effect: it stays listed, but never does',
)
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/program/versions.ts')).programWithdraw))
withService(program.command('list'), 'list all versions')
  .option('--json', 'as JSON')
  .action(run(async () => (await import('./commands/program/versions.ts')).programList))
withService(program.command('show [version]'), 'print a version as a file (default: the one in effect)')
  .option('--json', 'as JSON, with its number, moments and note')
  .action(run(async () => (await import('./commands/program/versions.ts')).programShow))
withService(
  program.command('diff <program> [other]'),
  'show what changes from one program to another; with one name, from the version in effect',
)
  .option('--json', 'as JSON')
  .addHelpText('after', '\nA program is a file, the number of a version, or current.')
  .action(run(async () => (await import('./commands/program/diff.ts')).programDiff))

program
  .command('backtest <file>')
  .description(
    'compute the recorded orders under a program file, and compare with what was in effect; also while a service is running',
  )
  .option('--from <moment>', 'orders from this moment on, like 2027-01-31T12:00:00Z; a date means its start in UTC')
  .option('--to <moment>', 'orders before this moment')
  .option(
    '--point-value <amount>',
    'what a point is worth, like 0.01 (default: redeem.value of the version in effect, else the setting money.point-value, else redeem.value of the file)',
  )
  .option('--json', 'as JSON')
  .option('--html <file>', 'also write a page with charts')
  .addHelpText('after', '\ndocs/what-if.md says how to read the output.')
  .action(run(async () => (await import('./commands/program/backtest.ts')).programBacktest))

laurel
  .command('completion')
  .addArgument(oneOf('<shell>', ['bash', 'zsh', 'fish']))
  .description('print a script that completes commands and options in bash, zsh or fish')
  .addHelpText('after', COMPLETION_HELP)
  .action(
    run(async () => {
      const { completion } = await import('./commands/completion.ts')
      return (shell: string) => completion(laurel, shell)
    }),
  )

/** The action of a command. Its file is loaded only when it runs: --help and --version load none. */
function run<Args extends unknown[]>(load: () => Promise<(...args: Args) => Promise<void> | void>) {
  return async (...args: Args): Promise<void> => (await load())(...args)
}

/** Puts Commander's usage errors on one line like all our errors, and names the nearest help. */
function explainWrongUse(command: Command, path: string): void {
  const help = command.commands.length > 0 ? 'lists the commands' : 'says how'
  command.configureOutput({
    outputError: (text, write) => {
      const message = text
        .trim()
        .replace(/^error: /, 'laurel: ')
        .replaceAll('\n', ' ')
      write(`${message} (${path} --help ${help})\n`)
    },
  })
  for (const one of command.commands) explainWrongUse(one, `${path} ${one.name()}`)
}

/** An argument whose words are completed. The command itself refuses others. */
function oneOf(name: string, words: readonly string[]): Argument {
  return Object.assign(new Argument(name), { argChoices: [...words] })
}

function collected(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

function withService(command: Command, description: string): Command {
  return command
    .description(description)
    .option('--url <url>', 'the service to talk to (default: the one running here, else the database itself)')
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  if (error instanceof DamagedData) return EXIT.crashed
  if (error instanceof OperatorError) return EXIT.usage
  if (error instanceof Unavailable) return EXIT.unavailable
  return error instanceof CommandFailed ? EXIT.refused : EXIT.crashed
}

/** Whether an error was written for a person to read: any other is a fault of ours. */
function hasOwnSentence(error: unknown): error is Error {
  return error instanceof DamagedData || exitCodeOf(error) !== EXIT.crashed
}

explainWrongUse(laurel, 'laurel')
// The reader may have closed the pipe, as `head` does: the command runs to its end, and its output is lost.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

/**
 * Runs a command line, given without `node` and the name of the script. Returns the exit code if nothing is left to do: 0 after --help and --version,
 * another after a failure, which it has printed.
 */
export async function runCommandLine(args: readonly string[]): Promise<number | undefined> {
  try {
    await laurel.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    // Commander has printed its own message; a fault of ours deserves its stack.
    if (!(error instanceof CommanderError)) {
      const message = hasOwnSentence(error) ? failureMessage(error) : ((error as Error).stack ?? error)
      const { escapeControlsInLines } = await import('../text.ts')
      process.stderr.write(`laurel: ${escapeControlsInLines(String(message))}\n`)
    }
    return exitCodeOf(error)
  }
}

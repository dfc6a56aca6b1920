/*
 * The command line: every command, and the file that defines its options.
 */
import { Command, CommanderError } from 'commander'
import project from '../../package.json' with { type: 'json' }
import { SIGN_IN_CODE_LIFETIME } from '../resources/sessions/sign-in-code-lifetime.ts'
import { EXIT, exitCodeOf, explainWrongUse, failureText } from './failure.ts'

/** How each command is called and what it is for, in the order of the help. */
const COMMANDS = {
  'serve [options]': 'run the service (the same as npm start)',
  'init [options]':
    'make a program and test orders from a few answers, and change the settings of your shop to fit; publishes nothing',
  'migrate [options]': "bring the database's schema to this version, without serving",
  'config [options]': 'print every setting in effect, with unit and origin',
  'console [options]': `print a one-time sign-in link to the console, valid for ${SIGN_IN_CODE_LIFETIME}`,
  'stats [options] [what]': 'print the figures of a date range, of the sources or of the service',
  session: 'list and end console sessions',
  'audit [options]': 'print the audit log, newest first',
  'acts [options]': 'deprecated: use audit',
  token: 'create, list, revoke and rotate tokens',
  'import [options] <noun> <file>':
    'import players, products, orders or balances from CSV, TSV, JSON or NDJSON, also as gzip, or everything; - is standard input',
  'export [options] <noun> <file>':
    'write all players, products, attributes, orders, entries, adjustments, redemptions, programs, settings or erasures, as CSV or NDJSON, or everything; - is standard output',
  player: 'show, export and erase players, and adjust or redeem their points',
  order: 'show recorded orders',
  product: 'show products',
  ledger: 'check the ledger',
  points: 'report outstanding points, and list expiring ones',
  predictions: 'report on predictions',
  job: 'list, cancel and resume background jobs',
  settings: 'show and change the settings of the shop',
  program: 'check, publish and show points programs',
  'backup [options] <file>': 'write everything in the database to one file, while the service runs',
  'restore [options] <file>': 'fill an empty database with a backup, or try it',
  'move [options]': 'move everything to another database: from the embedded one to PostgreSQL, or back',
  'completion <shell>': 'print a completion script for bash, zsh or fish',
} as const

type NameIn<Usage extends string> = Usage extends `${infer Name} ${string}` ? Name : Usage
type CommandName = NameIn<keyof typeof COMMANDS>

/** What gives a command its options and its own commands. */
const DEFINITIONS: Readonly<Record<CommandName, () => Promise<(command: Command) => void>>> = {
  serve: async () => (await import('./commands/serve.ts')).defineServe,
  init: async () => (await import('./commands/init.ts')).defineInit,
  migrate: async () => (await import('./commands/migrate.ts')).defineMigrate,
  config: async () => (await import('./commands/config.ts')).defineConfig,
  console: async () => (await import('./commands/console.ts')).defineConsole,
  stats: async () => (await import('./commands/stats.ts')).defineStats,
  session: async () => (await import('./commands/session.ts')).defineSession,
  audit: async () => (await import('./commands/audit.ts')).defineAudit,
  acts: async () => (await import('./commands/acts.ts')).defineActs,
  token: async () => (await import('./commands/token.ts')).defineToken,
  import: async () => (await import('./commands/import.ts')).defineImport,
  export: async () => (await import('./commands/export.ts')).defineExport,
  player: async () => (await import('./commands/player.ts')).definePlayer,
  order: async () => (await import('./commands/order.ts')).defineOrder,
  product: async () => (await import('./commands/product.ts')).defineProduct,
  ledger: async () => (await import('./commands/ledger.ts')).defineLedger,
  points: async () => (await import('./commands/points.ts')).definePoints,
  predictions: async () => (await import('./commands/predictions.ts')).definePredictions,
  job: async () => (await import('./commands/job.ts')).defineJob,
  settings: async () => (await import('./commands/settings.ts')).defineSettings,
  program: async () => (await import('./commands/program.ts')).defineProgram,
  backup: async () => (await import('./commands/backup.ts')).defineBackup,
  restore: async () => (await import('./commands/restore.ts')).defineRestore,
  move: async () => (await import('./commands/move.ts')).defineMove,
  completion: async () => (await import('./commands/completion.ts')).defineCompletion,
}

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
    await (await createLaurel(args)).parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    // Commander has printed its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
    process.stderr.write(`laurel: ${await failureText(error)}\n`)
    return exitCodeOf(error)
  }
}

/**
 * The command line for some arguments. Only a command that they name is defined, so that no other file is loaded; completion needs all.
 * Of the others, which cannot be called, the help shows how they would be.
 */
async function createLaurel(args: readonly string[]): Promise<Command> {
  const laurel = new Command('laurel')
    .description('A self-hosted loyalty service: what an order will earn, exactly and with reasons.')
    .version(project.version)
    .exitOverride()
  for (const [usage, purpose] of Object.entries(COMMANDS)) {
    const name = usage.split(' ')[0] as CommandName
    if (!args.includes(name) && !args.includes('completion')) laurel.command(usage).description(purpose)
    else (await DEFINITIONS[name]())(laurel.command(name).description(purpose))
  }
  explainWrongUse(laurel, 'laurel')
  return laurel
}

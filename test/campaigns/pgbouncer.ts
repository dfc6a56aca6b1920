/*
 * The PgBouncer campaign: the tests of the API and of the database go through a real PgBouncer, which gives each client one session, or each
 * transaction another one.
 * `npm run campaign:pgbouncer -- --program /usr/sbin/pgbouncer` fails if a test does. Not part of `npm test`, as it needs this program.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgresBinaries } from '../support/postgres-binaries.ts'
import { freePort, responses, startPostgresServer } from '../support/postgres-server.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, runCampaign } from './arguments.ts'

const MODES = ['session', 'transaction'] as const

/** Apart from those that end sessions of the server, or count them. */
const TESTS = [
  'test/contract/*.test.ts',
  'test/store/{crowded,earlier-data,ledger,migrate,newer-schema,parity,predictions,records,schema,transaction}.test.ts',
]

/** Rejects at the first mode in which a test fails. */
async function runPgbouncerCampaign(
  program: string,
  modes: readonly string[],
  files: readonly string[],
): Promise<void> {
  const server = await startPostgresServer({ settings: { max_connections: '400' } })
  const { owner } = await findPostgresBinaries()
  for (const mode of modes) {
    const directory = mkdtempSync(join(tmpdir(), 'laurel-pgbouncer-'))
    chmodSync(directory, 0o755)
    const port = await freePort()
    const configuration = join(directory, 'pgbouncer.ini')
    writeFileSync(configuration, configurationOf(mode, port, server.url))
    const pooler = spawn(program, ['-q', configuration], { ...owner, stdio: 'inherit' })
    try {
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`
      await eventually('PgBouncer answers', () => responses(url))
      console.log(`pool_mode = ${mode}`)
      const env = { ...process.env, LAUREL_TEST_DATABASE_URL: url }
      await assertSucceeds(
        spawn(process.execPath, ['--test', '--test-reporter=dot', ...files], { env, stdio: 'inherit' }),
      )
    } finally {
      pooler.kill()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

function configurationOf(mode: string, port: number, url: string): string {
  return `[databases]
* = host=127.0.0.1 port=${new URL(url).port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
max_client_conn = 1000
server_idle_timeout = 2
`
}

async function assertSucceeds(tests: ChildProcess): Promise<void> {
  const [code] = await once(tests, 'exit')
  if (code !== 0) throw new Error(`the tests ended with ${code}`)
}

const { program, modes, tests } = campaignCommand(
  'pgbouncer',
  'Runs the tests of API and database through a real PgBouncer, in both modes.',
)
  .option('--program <path>', 'PgBouncer', 'pgbouncer')
  .option('--modes <modes...>', 'values of its pool_mode', [...MODES])
  .option('--tests <files...>', 'patterns of test files', TESTS)
  .parse()
  .opts<{ program: string; modes: readonly string[]; tests: readonly string[] }>()
await runCampaign(() => runPgbouncerCampaign(program, modes, globSync([...tests])))

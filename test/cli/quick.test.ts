/*
 * What a command costs before it does any work: the files that it loads.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { Help } from 'commander'
import { definedCommands, listedDefinitions } from '../support/defined-commands.ts'
import { PROJECT } from '../support/docs-blocks.ts'

const run = promisify(execFile)

function sourceOf(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8')
}

/** The files and packages that loading a file loads: everything it imports, except types and dynamic imports. */
function loadedWith(path: string, seen: Set<string> = new Set()): Set<string> {
  for (const [, name] of sourceOf(path).matchAll(/^(?:import|export)(?! type\b)(?:[^'=()]*? from)? '([^']+)'/gm)) {
    const isFile = name!.startsWith('.')
    const target = isFile ? normalize(join(dirname(path), name!)) : name!
    if (seen.has(target)) continue
    seen.add(target)
    if (target.endsWith('.ts')) loadedWith(target, seen)
  }
  return seen
}

test('help and version load the list of the commands and nothing else', () => {
  assert.deepEqual([...loadedWith('src/cli/laurel.ts')].sort(), [
    'commander',
    'package.json',
    'src/cli/failure.ts',
    'src/errors.ts',
    'src/resources/sessions/sign-in-code-lifetime.ts',
  ])
})

test('a command loads the file that defines it, and that of no other command', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { runCommandLine } = await import('./src/cli/laurel.ts')
    await runCommandLine(process.argv.slice(1))
    process.stderr.write(loaded.flatMap((url) => /cli\\/commands\\/(.*)/.exec(url)?.[1] ?? []).join())`
  const loadedBy = async (...args: string[]) =>
    (await run(process.execPath, ['--input-type=module', '--eval', program, '--', ...args], { cwd: PROJECT })).stderr
  assert.deepEqual(
    await Promise.all([loadedBy('--help'), loadedBy('--version'), loadedBy('job', '--help'), loadedBy('help', 'job')]),
    ['', '', 'job.ts', 'job.ts'],
  )
})

test('the options and arguments of a command are in its own file, which loads no package, server or database', () => {
  assert.doesNotMatch(sourceOf('src/cli/laurel.ts'), /\.(?:\w*[oO]ption|\w*[aA]rguments?|action)\(/)
  const definitions = listedDefinitions()
  assert(definitions.length >= 20)
  for (const { name, path, define } of definitions) {
    assert.equal(path, `src/cli/commands/${name}.ts`)
    assert.match(sourceOf(path), new RegExp(`^export function ${define}\\(`, 'm'))
    assert.deepEqual(
      [...loadedWith(path)].filter(
        (loaded) =>
          /^(?!src\/|node:|commander$)/.test(loaded) ||
          /^src\/(?:server|database|ledger|audit-log|bulk|routing)\/|\/(?:routes|store)\.ts$/.test(loaded),
      ),
      [],
      name,
    )
  }
})

test('the help lists each command as its own file defines it', async () => {
  const { stdout } = await run(process.execPath, ['bin/laurel.js', '--help'], { cwd: PROJECT })
  const listed = [...stdout.split('\nCommands:\n')[1]!.matchAll(/^ {2}(\S.*?) {2,}/gm)].map(([, usage]) => usage)
  const defined = (await definedCommands()).map((command) => new Help().subcommandTerm(command))
  assert.deepEqual(listed, [...defined, 'help [command]'])
})

const CLIENT_COMMANDS = [
  'token',
  'session',
  'audit',
  'acts',
  'player',
  'order',
  'product',
  'job',
  'settings',
  'stats',
  'program',
]

test('a command that talks to a running service loads neither a server nor a database', () => {
  for (const command of [...CLIENT_COMMANDS, 'import-file', 'console']) {
    const loaded = [...loadedWith(`src/cli/commands/${command}.ts`)]
    assert(loaded.includes('src/cli/client.ts'), command)
    assert.deepEqual(
      loaded.filter((name) =>
        /^(fastify|pg|postgrator|pino|@electric-sql)|^src\/(server|database)\/|\/(routes|store)\.ts$/.test(name),
      ),
      [],
      command,
    )
  }
})

test('a command that talks to a running service loads no library of schemas', () => {
  for (const command of [...CLIENT_COMMANDS, 'import-file']) {
    const loaded = [...loadedWith(`src/cli/commands/${command}.ts`)]
    assert.deepEqual(
      loaded.filter((name) => /^typebox/.test(name)),
      [],
      command,
    )
  }
})

test('a command does not load the implementation of fetch', async () => {
  const program = `
    await import('./src/server/app.ts')
    const { sendRequest } = await import('./src/cli/send-request.ts')
    await sendRequest(new URL('http://127.0.0.1:9'), { method: 'GET', timeoutMs: 10_000 }).catch(() => undefined)
    console.log(process.moduleLoadList.filter((name) => /undici/.test(name)).join())`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: PROJECT })
  assert.equal(stdout, '\n')
})

test('a command that opens a service in its own process loads no metrics, and nothing that migrates or compiles schemas', () => {
  const loaded = [...loadedWith('src/cli/serve/service.ts'), ...loadedWith('src/cli/commands/ledger-verify.ts')]
  assert(loaded.includes('src/server/app.ts'))
  assert.deepEqual(
    loaded.filter((name) => /^(prom-client|postgrator|diff|@fastify\/cors)$|^src\/telemetry\/metrics/.test(name)),
    [],
  )
})

test('a service loads only the driver of its database, and only the checks of the schema library', () => {
  const loaded = [...loadedWith('src/cli/serve/service.ts')]
  assert(loaded.includes('src/database/open.ts'))
  assert.deepEqual(
    loaded.filter((name) => /^(pg|@electric-sql)|^src\/database\/(postgres|embedded)\/driver/.test(name)),
    [],
  )
  assert.deepEqual(loaded.filter((name) => /^typebox/.test(name)).sort(), ['typebox/schema', 'typebox/system'])
})

test('a command that needs no service loads neither a server nor a database', () => {
  for (const command of ['program/check', 'program/probe', 'config']) {
    const loaded = [...loadedWith(`src/cli/commands/${command}.ts`)]
    assert(loaded.length > 3, command)
    assert.deepEqual(
      loaded.filter((name) =>
        /^(fastify|pg|postgrator|pino|@electric-sql)|^src\/(server|database)\/|\/(routes|store)\.ts$/.test(name),
      ),
      [],
      command,
    )
  }
})

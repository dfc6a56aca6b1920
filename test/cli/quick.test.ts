/*
 * What a command costs before it does anything: the files that it loads.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'node:test'
import { PROJECT } from '../support/docs-blocks.ts'

/** The files and packages that are loaded with a file: what it imports, but for types and for what it imports only when it needs it. */
function loadedWith(path: string, seen: Set<string> = new Set()): Set<string> {
  const code = readFileSync(join(PROJECT, path), 'utf8')
  for (const [, name] of code.matchAll(/^(?:import|export)(?! type\b)(?:[^'=()]*? from)? '([^']+)'/gm)) {
    const isFile = name!.startsWith('.')
    const target = isFile ? normalize(join(dirname(path), name!)) : name!
    if (seen.has(target)) continue
    seen.add(target)
    if (target.endsWith('.ts')) loadedWith(target, seen)
  }
  return seen
}

test('help and version load the words of the commands and nothing else', () => {
  assert.deepEqual([...loadedWith('src/cli/laurel.ts')].sort(), [
    'commander',
    'package.json',
    'src/cli/exit-codes.ts',
    'src/cli/failure.ts',
    'src/errors.ts',
    'src/ingest/scopes.ts',
  ])
})

const TALKING = ['token-list', 'player-show', 'player-find', 'order-show', 'product-show', 'program-show', 'import']

test('a command that talks to a running service loads neither a server nor a database', () => {
  for (const command of [...TALKING, 'program-publish']) {
    const loaded = [...loadedWith(`src/cli/commands/${command}.ts`)]
    assert(loaded.includes('src/cli/client.ts'), command)
    assert.deepEqual(
      loaded.filter((name) => /^(fastify|pg|postgrator|pino|@electric-sql)|^src\/(http|store)\//.test(name)),
      [],
      command,
    )
  }
})

test('a command that talks to a running service loads no library of schemas', () => {
  for (const command of TALKING) {
    const loaded = [...loadedWith(`src/cli/commands/${command}.ts`)]
    assert.deepEqual(
      loaded.filter((name) => /^typebox/.test(name)),
      [],
      command,
    )
  }
})

test('a command that opens a service in its own process loads no metrics, and nothing that migrates or compiles schemas', () => {
  const loaded = [...loadedWith('src/cli/serve/service.ts'), ...loadedWith('src/cli/commands/ledger-verify.ts')]
  assert(loaded.includes('src/http/app.ts'))
  assert.deepEqual(
    loaded.filter((name) => /^(prom-client|postgrator|diff|@fastify\/cors)$|^src\/telemetry\/metrics/.test(name)),
    [],
  )
})

test('a service loads the driver of its database only, and of the library of schemas only the check', () => {
  const loaded = [...loadedWith('src/cli/serve/service.ts')]
  assert(loaded.includes('src/store/open.ts'))
  assert.deepEqual(
    loaded.filter((name) => /^(pg|pg-copy-streams|@electric-sql)|^src\/store\/(postgres|embedded)\/driver/.test(name)),
    [],
  )
  assert.deepEqual(loaded.filter((name) => /^typebox/.test(name)).sort(), ['typebox/schema', 'typebox/system'])
})

test('a command that needs no service loads neither a server nor a database', () => {
  for (const command of ['program-check', 'program-probe', 'config']) {
    const loaded = [...loadedWith(`src/cli/commands/${command}.ts`)]
    assert(loaded.length > 3, command)
    assert.deepEqual(
      loaded.filter((name) => /^(fastify|pg|postgrator|pino|@electric-sql)|^src\/(http|store)\//.test(name)),
      [],
      command,
    )
  }
})

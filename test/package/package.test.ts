/*
 * The package as its users get it: packed by npm, and installed by npm into an empty directory without this clone.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import project from '../../package.json' with { type: 'json' }
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { type ServiceOptions, startService, temporaryDirectory } from '../support/service-process.ts'

const run = promisify(execFile)
const SYSTEM_PATH = '/usr/bin:/bin'
/** Makes Node report an older version than it has. */
const OLDER_NODE = `data:text/javascript,${encodeURIComponent(
  `if (process.execPath === ${JSON.stringify(process.execPath)})
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.0.0' } })`,
)}`

const home = mkdtempSync(join(tmpdir(), 'laurel-package-'))
const installed = join(home, 'node_modules/laurel')

/** Runs a command as npx does: the programs of the installation come first. Nothing of this clone is in the environment. */
function laurel(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const PATH = `${join(home, 'node_modules/.bin')}:${SYSTEM_PATH}`
  return run(join(home, 'node_modules/.bin/laurel'), args, { cwd: home, env: { PATH, ...env } })
}

async function started(t: TestContext, options: Pick<ServiceOptions, 'env'> = {}) {
  const data = join(temporaryDirectory(t), 'data')
  const service = await startService({ ...options, data, cwd: home, checkout: installed })
  t.after(() => service.kill())
  return service
}

const filesIn = (directory: string, pattern: string) => globSync(pattern, { cwd: directory }).sort()

describe('the package', () => {
  before(async () => {
    await run('npm', ['pack', '--pack-destination', home], { cwd: PROJECT })
    const packed = join(home, `laurel-${project.version}.tgz`)
    const options = ['--prefix', home, '--prefer-offline', '--omit=dev', '--no-audit', '--no-fund']
    await run('npm', ['install', ...options, packed], { cwd: home })
  })
  after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))

  test('is what publint expects of a package, and carries no sources', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg, { color: false })),
      [],
    )
    assert.deepEqual(filesIn(installed, '{src,test,scripts,dist/**/*.ts}'), [])
  })

  test('contains each file of the service as JavaScript, each statement, and every file that one of them names', () => {
    const sources = filesIn(join(PROJECT, 'src'), '**/*.{ts,sql}').filter(
      (path) => !/\.test\.ts$|\/main\.ts$/.test(path),
    )
    const files = sources.map((path) => path.replace(/\.ts$/, '.js')).sort()
    assert(files.length > 500)
    assert.deepEqual(filesIn(join(installed, 'dist'), '**/*.{js,sql}'), files)
    const named = files.flatMap((path) => {
      const code = readFileSync(join(installed, 'dist', path), 'utf8')
      const names = code.matchAll(/(?:\bfrom |\bimport |\bimport\(|\bnew URL\()['"](\.[^'"]*)['"]/g)
      return [...names].map(([, name]) => ({ path, file: join(installed, 'dist', dirname(path), name!) }))
    })
    assert(named.length > 1_500)
    assert.deepEqual(
      named.filter(({ file }) => !existsSync(file)),
      [],
    )
    assert.equal(filesIn(installed, 'dist/database/embedded/fresh-database-*').length, 1)
  })

  test('comes with a list of every package that is locked, those of development marked', async () => {
    const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: PROJECT })
    type Component = Readonly<{ name: string; properties: readonly Readonly<{ name: string }>[] }>
    const components: readonly Component[] = JSON.parse(stdout).components
    const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'))
    const locked = Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13))
    const listed = new Set(components.map(({ name }) => name))
    assert.deepEqual(
      locked.filter((name, index) => index > 0 && !listed.has(name)),
      [],
    )
    const marksOf = (name: string) => components.find((one) => one.name === name)!.properties.map((mark) => mark.name)
    assert.deepEqual([marksOf('react'), marksOf('fastify')], [['cdx:npm:package:development'], []])
  })

  test('has commands that run on the Node that npm installed with it, also where the Node of the machine is older', async () => {
    assert.equal((await laurel(['--version'])).stdout, `${project.version}\n`)
    const { stdout } = await run(process.execPath, [join(installed, 'bin/laurel.js'), '--help'], {
      env: { PATH: SYSTEM_PATH, NODE_OPTIONS: `--import=${OLDER_NODE}` },
    })
    assert.match(stdout, /^ {2}serve /m)
  })

  test('serves its API and its console, and runs checks, simulations and jobs in threads (decision 103)', async (t) => {
    const service = await started(t)
    const page = await service.ask('/console/')
    assert.equal(page.status, 200)
    for (const [, path = ''] of page.text.matchAll(/(?:src|href)="([^"]+)"/g))
      assert.equal((await service.ask(new URL(path, `${service.url}/console/`).pathname)).status, 200, path)

    const [program, env] = [join(home, 'program.yaml'), { LAUREL_DATA: service.data }]
    await laurel(['init', '--points', '1', '--every', '10', '--out', program], env)
    await laurel(['program', 'publish', program], env)
    assert.equal((await service.upsert('players', [aPlayer()])).body.inserted, 1)
    const order = anOrder({ products: [{ product_sku_id: 'tea', qty: '2' }] })
    const predicted = await service.ask('/api/predictions/orders', { body: { data: order } })
    assert.equal(predicted.body.total_points, 120)
    const simulated = await service.ask('/api/admin/simulations', { body: { data: { order } } })
    assert.equal(simulated.status, 200, simulated.text)
    const checked = await service.ask('/api/admin/programs/check', { body: { data: { source: STARTER_PROGRAM } } })
    assert.equal(checked.status, 200, checked.text)

    assert.equal((await service.upsert('orders', [order])).body.inserted, 1)
    const { stdout } = await laurel(['program', 'backtest', program, '--json'], env)
    assert.equal(JSON.parse(stdout).orders, 1)
    await laurel(['ledger', 'verify'], env)
    assert.equal((await service.stop()).code, 0)
  })

  test('serves from several workers on PostgreSQL, and runs backtests in several threads', async (t) => {
    const env = { DATABASE_URL: await testDatabase(t), WORKERS: '2' }
    const service = await started(t, { env })
    assert.equal((await service.upsert('players', [aPlayer()])).body.inserted, 1)
    assert.equal((await service.upsert('orders', [anOrder()])).body.inserted, 1)
    const program = join(home, 'starter.yaml')
    writeFileSync(program, STARTER_PROGRAM)
    const { stdout } = await laurel(['program', 'backtest', program, '--json'], { DATABASE_URL: env.DATABASE_URL })
    assert.equal(JSON.parse(stdout).orders, 1)
    assert.equal((await service.stop()).code, 0)
  })
})

/*
 * What is shown but no test runs: programs in documents, and what deploys and watches a service (Dockerfile, compose.yaml and ops). Each is checked as
 * far as a machine without those programs can.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import project from '../../package.json' with { type: 'json' }
import { readConfig, SETTINGS } from '../../src/config.ts'
import { readProgram } from '../../src/engine/points/program.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { isWholeToken } from '../../src/resources/tokens/token-text.ts'
import { TOKENLESS_OPERATIONS } from '../../src/server/tokenless-operations.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { type Block, listDocuments, PROJECT, readBlocks, readDocument } from '../support/docs-blocks.ts'
import { temporaryDirectory } from '../support/service-process.ts'

type Found = Block & { path: string }

const blocksOf = (language: string): Found[] =>
  listDocuments().flatMap((path) =>
    readBlocks(readDocument(path)).flatMap((block) =>
      block.kind === 'block' && block.language === language ? [{ ...block, path }] : [],
    ),
  )

test('a yaml block is a valid program, or a part that fits into the starter program', () => {
  for (const { path, line, text } of blocksOf('yaml')) {
    // Its blocks are programs and test orders on a base of their own: cookbook.test.ts runs them.
    if (path === 'docs/cookbook.md') continue
    const written = parse(text)
    const whole = 'name' in written ? written : { ...parse(STARTER_PROGRAM), ...written }
    const read = readProgram(whole)
    if ('issues' in read) assert.fail(`${path}:${line}: ${JSON.stringify(read.issues)}`)
  }
})

const PROMETHEUS = 'ops/prometheus'
const PROXIES = ['proxies/nginx.conf', 'proxies/Caddyfile', 'proxies/haproxy.cfg'] as const
const deployed = (file: string) => readDocument(`ops/${file}`)
const withoutComments = (text: string) => text.replace(/^\s*#.*\n/gm, '')

test('the proxies of ops pass all that the service accepts to the address where it listens', () => {
  const [nginx, caddy, haproxy] = PROXIES.map((file) => withoutComments(deployed(file)))
  assert(nginx && caddy && haproxy)
  assertBracesMatch(nginx)
  assertBracesMatch(caddy)
  for (const line of nginx.split('\n').filter((line) => line.trim() !== ''))
    assert.match(line, /[;{}]$/, `nginx: a line ends in ; or a brace: ${line}`)

  const listensAt = `${SETTINGS.host.fallback}:${SETTINGS.port.fallback}`
  assert.match(nginx, new RegExp(`proxy_pass http://${RegExp.escape(listensAt)};`))
  assert.match(caddy, new RegExp(`reverse_proxy ${RegExp.escape(listensAt)}$`, 'm'))
  const mebibytes = [numberIn(nginx, /client_max_body_size (\d+)m;/), numberIn(caddy, /max_size (\d+)MiB/)]
  for (const size of mebibytes) assert(size * 2 ** 20 >= SETTINGS.upsertBodyBytesMax.fallback)
  assert(numberIn(nginx, /proxy_read_timeout (\d+)s;/) * 1_000 > SETTINGS.upsertTimeoutMs.fallback)
  assert.match(nginx, /proxy_set_header X-Forwarded-For /)
  assert.match(haproxy, new RegExp(`server laurel ${RegExp.escape(listensAt)} `))
  assert(numberIn(haproxy, /timeout server (\d+)s/) * 1_000 > SETTINGS.upsertTimeoutMs.fallback)
  assert.match(haproxy, /option forwardfor$/m)
})

test('the proxies of ops, which end TLS, send Strict-Transport-Security for a year, and the service never does', () => {
  const header = /\bStrict-Transport-Security "?max-age=(\d+)"?( always;)?$/m
  for (const file of PROXIES) assert(numberIn(deployed(file), header) >= 365 * 86_400, file)
  for (const path of globSync('src/**/*.ts', { cwd: PROJECT }))
    assert.doesNotMatch(readFileSync(join(PROJECT, path), 'utf8'), /strict-transport-security/i, path)
})

test('the systemd unit starts the service with settings that exist, and gives it time to stop', () => {
  const unit = withoutComments(deployed('laurel.service'))
  const sections = [...unit.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)
  assert.deepEqual(sections, ['Unit', 'Service', 'Install'])
  for (const line of unit.split('\n').filter((line) => line !== '' && !line.startsWith('[')))
    assert.match(line, /^(?:[A-Z]\w+=\S|CapabilityBoundingSet=$)/)
  const place = /^WorkingDirectory=(\S+)$/m.exec(unit)?.[1]
  const [, node = '', main = '', verb] = /^ExecStart=(\S+) --disable-sigusr1 (\S+) (\w+)$/m.exec(unit) ?? []
  assert(node.startsWith(`${place}/`) && existsSync(join(PROJECT, node.slice(place!.length))))
  assert(existsSync(join(PROJECT, main)) && verb === 'serve')
  for (const [, name] of unit.matchAll(/^Environment=(\w+)=/gm)) assertSetting(name!)
  assert(numberIn(unit, /^TimeoutStopSec=(\d+)$/m) >= STOP_S)
  assert(numberIn(unit, /^LimitNOFILE=(\d+)$/m) > SETTINGS.connectionsMax.fallback + 1_000)
})

test('the systemd unit may do little more than it needs: systemd-analyze, where it is installed, scores it below 2.5', () => {
  const security = ['security', '--offline=true', '--threshold=25', join(PROJECT, 'ops/laurel.service')]
  const run = spawnSync('systemd-analyze', security, { encoding: 'utf8' })
  if (run.error === undefined) assert.equal(run.status, 0, run.stdout + run.stderr)
})

/** The longest time that a service takes to stop, in seconds. */
const STOP_S = (SETTINGS.stopDelayMs.fallback + SETTINGS.upsertTimeoutMs.fallback + 5_000) / 1_000

function assertSetting(name: string): void {
  const known = Object.values(SETTINGS).flatMap((setting) =>
    'inFile' in setting ? [setting.env, `${setting.env}_FILE`] : [setting.env],
  )
  assert(known.includes(name), `${name} is no setting`)
}

const seconds = (text: string) => numberIn(text, /^(\d+)s$/)

test('the container runs as a user without privileges, with settings that exist, and copies what the package has', () => {
  const steps = withoutComments(readDocument('Dockerfile'))
  const last = steps.slice(steps.lastIndexOf('\nFROM '))
  const bases = [...steps.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  assert.deepEqual(new Set(bases), new Set(['node:26-slim']))
  assert.match(last, /^USER 1000:1000$/m)
  assert.match(last, /^HEALTHCHECK /m)
  const [, env = ''] = /^ENV (.*)$/m.exec(last) ?? []
  for (const [, name] of env.matchAll(/(\w+)=/g)) if (name !== 'NODE_ENV') assertSetting(name!)
  assert.match(last, new RegExp(`^EXPOSE ${SETTINGS.port.fallback}$`, 'm'))
  const copied = [...last.matchAll(/^COPY (?:--from=\w+ )?(.*) \S+$/gm)].flatMap(([, paths]) => paths!.split(' '))
  const inImage = copied.map((path) => path.replace('/build/', ''))
  const packed = project.files.filter((path) => !path.startsWith('docs'))
  assert.deepEqual(
    packed.filter((path) => !inImage.includes(path)),
    [],
  )
  const ignored = readDocument('.dockerignore').trimEnd().split('\n')
  for (const path of ['secrets', 'data*', '.git', 'node_modules']) assert(ignored.includes(path), path)
})

test('compose.yaml and the Kubernetes manifest take secrets from files that ops/secrets.sh writes, let nothing be written, and wait for the end', (t) => {
  const directory = join(temporaryDirectory(t), 'secrets')
  const written = spawnSync('sh', [join(PROJECT, 'ops/secrets.sh'), directory], { encoding: 'utf8' })
  assert.equal(written.status, 0, written.stderr)
  const secretIn = (name: string) => readFileSync(join(directory, name), 'utf8').trim()
  assert(isWholeToken(secretIn('first-token')))
  const { hostname, password } = new URL(
    readConfig({ DATABASE_URL_FILE: join(directory, 'database-url') }).databaseUrl!,
  )
  assert.deepEqual([hostname, password], ['postgres', secretIn('postgres-password')])
  assert(readConfig({ LAUREL_ERASURE_KEY_FILE: join(directory, 'erasure-key') }).erasureKey!.length >= 32)
  const again = spawnSync('sh', [join(PROJECT, 'ops/secrets.sh'), directory], { encoding: 'utf8' })
  assert.notEqual(again.status, 0)

  const { services, secrets } = parse(readDocument('compose.yaml'))
  const [deployment, service, budget] = parseAllDocuments(readDocument('ops/kubernetes.yaml')).map((one) => one.toJS())
  const pod = deployment.spec.template.spec
  const [container] = pod.containers
  for (const [kind, environment] of [
    ['compose', Object.entries(services.laurel.environment as Record<string, string>)],
    ['kubernetes', (container.env as { name: string; value: string }[]).map(({ name, value }) => [name, value])],
  ] as const)
    for (const [name, value] of environment) {
      assertSetting(name!)
      assert(existsSync(join(directory, basename(value!))), `${kind}: ${name}`)
    }
  for (const name of Object.keys(secrets)) assert(existsSync(join(directory, name)), name)
  assert.equal(services.postgres.environment.POSTGRES_PASSWORD_FILE, '/run/secrets/postgres-password')
  assert.deepEqual([services.laurel.read_only, container.securityContext.readOnlyRootFilesystem], [true, true])
  assert(seconds(services.laurel.stop_grace_period) >= STOP_S && pod.terminationGracePeriodSeconds >= STOP_S)
  assert.equal(container.ports[0].containerPort, SETTINGS.port.fallback)
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
    assert(Object.keys(TOKENLESS_OPERATIONS).includes(probe.httpGet.path))
  const labels = deployment.spec.template.metadata.labels
  for (const selector of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
  ])
    assert.deepEqual(selector, labels)
})

/** The names of all metrics, those that every Node process has among them. */
async function namesOfMetrics(): Promise<ReadonlySet<string>> {
  const text = await createMetrics(() => ({})).text()
  return new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
    ),
  )
}

test('the alerts and the board of ops ask for metrics that exist, of the job that Prometheus is configured with', async () => {
  const known = await namesOfMetrics()
  const rules: { groups: { rules: { alert: string; expr: string }[] }[] } = parse(
    readDocument(`${PROMETHEUS}/laurel.rules.yaml`),
  )
  const board: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(readDocument('ops/grafana/laurel.json'))
  const asked = [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ]
  assert(asked.length > 40)
  const [job] = parse(readDocument(`${PROMETHEUS}/prometheus.yaml`)).scrape_configs
  for (const expr of asked) {
    const names = [...expr.matchAll(/\b((?:laurel|nodejs|process)_\w+|up)\{job="(\w+)"/g)]
    assert(names.length > 0 && names.length === [...expr.matchAll(/\{/g)].length, expr)
    for (const [, name, of] of names)
      assert(of === job.job_name && (name === 'up' || known.has(name!)), `${name}: ${expr}`)
  }
})

test('each alert is raised by its fault in the tests for promtool, which pass where promtool is installed', () => {
  const rules: { groups: { rules: { alert: string }[] }[] } = parse(readDocument(`${PROMETHEUS}/laurel.rules.yaml`))
  const tests = readDocument(`${PROMETHEUS}/laurel.rules.test.yaml`)
  for (const { alert } of rules.groups.flatMap((group) => group.rules))
    assert(tests.includes(`alertname="${alert}"}', value: 1`) || tests.includes(`alertname: ${alert}`), alert)
  const run = spawnSync('promtool', ['test', 'rules', 'laurel.rules.test.yaml'], {
    cwd: join(PROJECT, PROMETHEUS),
    encoding: 'utf8',
  })
  if (run.error === undefined) assert.equal(run.status, 0, run.stdout + run.stderr)
})

test('a console block holds only commands that no test can run here', () => {
  const allowed = [
    'git',
    'npm',
    'sh ops/secrets.sh',
    'docker compose',
    'npx --no laurel import players large.csv',
    'npx --no laurel migrate --undo',
    // To and from a server that only the reader has.
    'npx --no laurel move',
    'node_modules/.bin/node test/fixtures/6168b5d/make.ts',
  ]
  for (const { path, line, text } of blocksOf('console')) {
    assert(text.startsWith('$ '), `${path}:${line}: the first line is no command`)
    for (const command of text.split('\n').filter((one) => one.startsWith('$ ')))
      assert(
        allowed.some((name) => `${command} `.startsWith(`$ ${name} `)),
        `${path}:${line}: "${command}" belongs into a sh block, or into the list of this test`,
      )
  }
})

function assertBracesMatch(text: string): void {
  assert.equal([...text.matchAll(/\{/g)].length, [...text.matchAll(/\}/g)].length)
}

function numberIn(text: string, pattern: RegExp): number {
  const match = pattern.exec(text)
  assert(match, `expected ${pattern}`)
  return Number(match[1])
}

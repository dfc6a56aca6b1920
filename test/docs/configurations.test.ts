/*
 * What is shown but no test runs: programs in documents, proxies and a unit in examples/deploy. Each is checked as far as a machine without those
 * programs can.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { SETTINGS } from '../../src/config.ts'
import { readProgram } from '../../src/engine/points/program.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { type Block, listDocuments, PROJECT, readBlocks, readDocument } from '../support/docs-blocks.ts'

type Found = Block & { path: string }

const blocksOf = (language: string): Found[] =>
  listDocuments().flatMap((path) =>
    readBlocks(readDocument(path)).flatMap((block) =>
      block.kind === 'block' && block.language === language ? [{ ...block, path }] : [],
    ),
  )

test('a yaml block is a valid program, or a part that fits into the starter program', () => {
  for (const { path, line, text } of blocksOf('yaml')) {
    const written = parse(text)
    const whole = 'name' in written ? written : { ...parse(STARTER_PROGRAM), ...written }
    const read = readProgram(whole)
    if ('issues' in read) assert.fail(`${path}:${line}: ${JSON.stringify(read.issues)}`)
  }
})

const PROMETHEUS = 'ops/prometheus'
const deployed = (file: string) => readFileSync(join(PROJECT, 'examples/deploy', file), 'utf8')
const withoutComments = (text: string) => text.replace(/^\s*#.*\n/gm, '')

test('the proxies of examples/deploy pass all that the service accepts to the address where it listens', () => {
  const [nginx, caddy, haproxy] = ['nginx.conf', 'Caddyfile', 'haproxy.cfg'].map((file) =>
    withoutComments(deployed(file)),
  )
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

test('the proxies of examples/deploy, which end TLS, send Strict-Transport-Security for a year, and the service never does', () => {
  const header = /\bStrict-Transport-Security "?max-age=(\d+)"?( always;)?$/m
  for (const file of ['nginx.conf', 'Caddyfile', 'haproxy.cfg'])
    assert(numberIn(deployed(file), header) >= 365 * 86_400, file)
  for (const path of globSync('src/**/*.ts', { cwd: PROJECT }))
    assert.doesNotMatch(readFileSync(join(PROJECT, path), 'utf8'), /strict-transport-security/i, path)
})

test('the systemd unit starts the service with settings that exist, and gives it time to stop', () => {
  const unit = withoutComments(deployed('laurel.service'))
  const sections = [...unit.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)
  assert.deepEqual(sections, ['Unit', 'Service', 'Install'])
  for (const line of unit.split('\n').filter((line) => line !== '' && !line.startsWith('[')))
    assert.match(line, /^[A-Z]\w+=\S/)
  const place = /^WorkingDirectory=(\S+)$/m.exec(unit)?.[1]
  const [, node = '', main = '', verb] = /^ExecStart=(\S+) --disable-sigusr1 (\S+) (\w+)$/m.exec(unit) ?? []
  assert(node.startsWith(`${place}/`) && existsSync(join(PROJECT, node.slice(place!.length))))
  assert(existsSync(join(PROJECT, main)) && verb === 'serve')
  const known: string[] = Object.values(SETTINGS).map(({ env }) => env)
  for (const [, name] of unit.matchAll(/^Environment=(\w+)=/gm)) assert(known.includes(name!), `${name}`)
  const { stopDelayMs, upsertTimeoutMs } = SETTINGS
  assert(numberIn(unit, /^TimeoutStopSec=(\d+)$/m) * 1_000 >= stopDelayMs.fallback + upsertTimeoutMs.fallback + 5_000)
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

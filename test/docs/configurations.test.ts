/*
 * What the documents show but no test runs: programs, proxies, units. Each is checked as far as a machine without those programs can.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { SETTINGS } from '../../src/config.ts'
import { readProgram } from '../../src/engine/points/program.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
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
    if ('faults' in read) assert.fail(`${path}:${line}: ${JSON.stringify(read.faults)}`)
  }
})

test('the proxies of docs/operating.md pass all that the service accepts to the address where it listens', () => {
  const [nginx, ...moreNginx] = blocksOf('nginx')
  const [caddy, ...moreCaddy] = blocksOf('caddy')
  const [haproxy, ...moreHaproxy] = blocksOf('haproxy')
  assert(nginx && caddy && haproxy && moreNginx.length + moreCaddy.length + moreHaproxy.length === 0)
  assertBracesMatch(nginx.text)
  assertBracesMatch(caddy.text)
  for (const line of nginx.text.split('\n').filter((line) => line.trim() !== ''))
    assert.match(line, /[;{}]$/, `nginx: a line ends in ; or a brace: ${line}`)

  const listensAt = `${SETTINGS.host.fallback}:${SETTINGS.port.fallback}`
  assert.match(nginx.text, new RegExp(`proxy_pass http://${RegExp.escape(listensAt)};`))
  assert.match(caddy.text, new RegExp(`reverse_proxy ${RegExp.escape(listensAt)}$`, 'm'))
  const mebibytes = [numberIn(nginx.text, /client_max_body_size (\d+)m;/), numberIn(caddy.text, /max_size (\d+)MiB/)]
  for (const size of mebibytes) assert(size * 2 ** 20 >= SETTINGS.upsertBodyBytesMax.fallback)
  assert(numberIn(nginx.text, /proxy_read_timeout (\d+)s;/) * 1_000 > SETTINGS.upsertTimeoutMs.fallback)
  assert.match(nginx.text, /proxy_set_header X-Forwarded-For /)
  assert.match(haproxy.text, new RegExp(`server laurel ${RegExp.escape(listensAt)} `))
  assert(numberIn(haproxy.text, /timeout server (\d+)s/) * 1_000 > SETTINGS.upsertTimeoutMs.fallback)
  assert.match(haproxy.text, /option forwardfor$/m)
})

test('the proxies of docs/operating.md, which end TLS, send Strict-Transport-Security for a year, and the service never does', () => {
  const header = /\bStrict-Transport-Security "?max-age=(\d+)"?( always;)?$/m
  for (const language of ['nginx', 'caddy', 'haproxy'])
    for (const { text } of blocksOf(language)) assert(numberIn(text, header) >= 365 * 86_400, language)
  for (const path of globSync('src/**/*.ts', { cwd: PROJECT }))
    assert.doesNotMatch(readFileSync(join(PROJECT, path), 'utf8'), /strict-transport-security/i, path)
})

test('the systemd unit starts the service with settings that exist, and gives it time to stop', () => {
  const [unit, ...more] = blocksOf('ini')
  assert(unit && more.length === 0)
  const sections = [...unit.text.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)
  assert.deepEqual(sections, ['Unit', 'Service', 'Install'])
  for (const line of unit.text.split('\n').filter((line) => line !== '' && !line.startsWith('[')))
    assert.match(line, /^[A-Z]\w+=\S/)
  const place = /^WorkingDirectory=(\S+)$/m.exec(unit.text)?.[1]
  const [, node = '', main = '', verb] = /^ExecStart=(\S+) --disable-sigusr1 (\S+) (\w+)$/m.exec(unit.text) ?? []
  assert(node.startsWith(`${place}/`) && existsSync(join(PROJECT, node.slice(place!.length))))
  assert(existsSync(join(PROJECT, main)) && verb === 'serve')
  const known: string[] = Object.values(SETTINGS).map(({ env }) => env)
  for (const [, name] of unit.text.matchAll(/^Environment=(\w+)=/gm)) assert(known.includes(name!), `${name}`)
  assert(numberIn(unit.text, /^TimeoutStopSec=(\d+)$/m) * 1_000 > SETTINGS.upsertTimeoutMs.fallback + 5_000)
})

test('a console block holds only commands that no test can run here', () => {
  const allowed = [
    'pg_dump',
    'pg_restore',
    'git',
    'npm',
    'npx --no laurel import players large.csv',
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

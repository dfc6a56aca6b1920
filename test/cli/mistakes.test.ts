/*
 * Typical mistakes in programs: mistakes.yaml has each with its whole message.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { issuesText } from '../../src/cli/input/program-file.ts'
import { paragraphOf } from '../../src/engine/ingest/program-paragraphs.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openServerApp } from '../support/test-app.ts'

const PROGRAM = `name: Tea shop
rounding: floor
money: { decimals: 2 }
attributes:
  product: { category: text, tags: texts }
  order: { channel: text, segments: texts, staff: yes-no }
levels:
  counts: lifetime
  ladder:
    - { name: Bronze, from: 0 }
    - { name: Gold, from: 1000 }
earn:
  - name: base
    per-amount: { points: 1, every: 10 }
  - name: extra
    when: order.net >= 20
    fixed: { points: 5 }
`

type Mistake = Readonly<{ of: string; mistake: string; right: string; message: string }>

const mistakes: readonly Mistake[] = parse(readFileSync(new URL('./mistakes.yaml', import.meta.url), 'utf8'))

const withPart = (part: string, text: string) => PROGRAM.replace(part, () => text)

test('a typical mistake gets its line, a caret, what to write and the paragraph about it, and what to write is right (decision 164)', async (t) => {
  const directory = temporaryDirectory(t)
  const check = (text: string, name: string) => {
    writeFileSync(join(directory, name), text)
    return runCommand(['program', 'check', name], {}, { cwd: directory })
  }
  assert(mistakes.length >= 60)
  for (const { of, mistake, right, message } of mistakes) {
    assert(PROGRAM.includes(of), of)
    const { code, stderr } = await check(withPart(of, mistake), 'wrong.yaml')
    assert.deepEqual([code, stderr.replace(/^laurel: .*\n/, '').trimEnd()], [1, message.trimEnd()], mistake)
    assert.deepEqual((await check(withPart(of, right), 'right.yaml')).stderr, '', right)
  }
})

test('publishing and the check of the API say the same as the command (decision 164)', async (t) => {
  const app = await openServerApp(t)
  for (const { of, mistake, message } of mistakes) {
    const data = { source: withPart(of, mistake) }
    const { faults } = (await app.ask('POST', '/api/admin/programs/check', { body: { data } })).body
    assert.equal(issuesText('', faults).replace(/^.*\n/, ''), message.trimEnd())
  }
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'wrong.yaml'), withPart('rounding: floor', 'rounding: down'))
  const published = await runCommand(
    ['program', 'publish', 'wrong.yaml', '--url', app.url],
    { LAUREL_TOKEN: app.token },
    { cwd: directory },
  )
  assert.match(
    published.stderr,
    /did you mean floor\?\n {4}rounding: down\n {14}\^ see docs\/program-reference\.md#rounding\n$/,
  )
})

test('every paragraph that a message names is in the documents', () => {
  const reference = readFileSync(new URL('../../docs/program-reference.md', import.meta.url), 'utf8')
  const headings = [...reference.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'))
  const sections = [
    'name',
    'rounding',
    'levels',
    'money',
    'attributes',
    'statistics',
    'referral',
    'points',
    'redeem',
    'messages',
    'earn',
  ]
  const deeper = [
    'levels.counts.window',
    'redeem.when',
    ...['when', 'during', 'least', 'per-amount'].map((one) => `earn[0].${one}`),
  ]
  const named = new Set([
    ...[...sections, ...deeper].map((path) => paragraphOf({ path })),
    ...mistakes.flatMap(({ message }) => [...message.matchAll(/see (\S+)/g)].map(([, one]) => one!)),
  ])
  const missing = [...named].filter((one) => !headings.includes(one.replace('docs/program-reference.md#', '')))
  assert.deepEqual(missing, [])
})

/*
 * Commands beside a service of commit 6168b5d (test/fixtures/6168b5d): they print what it answers, and do without what answers have had since.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { newTokenText } from '../../src/resources/tokens/service.ts'
import { runCommand } from '../support/run-command.ts'
import { newDataDirectory, temporaryDirectory } from '../support/service-process.ts'

type Answered = Readonly<{ method: string; path: string; status: number; text: string }>

const [, ...lines] = readFileSync(join(import.meta.dirname, '../fixtures/6168b5d/expected.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
const answered = lines
  .map((line): Answered => JSON.parse(line))
  .filter(({ status, text }) => status === 200 && text.startsWith('{'))
const jobs = answered
  .filter(({ path }) => path.startsWith('/api/admin/jobs/'))
  .map(({ text }): Readonly<{ id: string; kind: string; result: unknown }> => JSON.parse(text))

/** Runs commands beside a service that answers as the one of then did, whatever the query: in its data directory, too. */
async function besideEarlierService(t: TestContext) {
  const server = http.createServer(async (request, response) => {
    const [path] = request.url!.split('?')
    const sent = Buffer.concat(await request.toArray()).toString()
    const found =
      path === '/healthz'
        ? '{}'
        : path === '/api/admin/jobs' && request.method === 'POST'
          ? JSON.stringify(jobs.find(({ kind }) => kind === JSON.parse(sent).data.kind))
          : answered.find((one) => one.method === request.method && one.path.split('?')[0] === path)?.text
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(found)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const data = await newDataDirectory(t)
  writeFileSync(join(data, 'service.json'), JSON.stringify({ url, consoleUrl: url, pid: process.pid }))
  const env = { LAUREL_DATA: data, LAUREL_TOKEN: newTokenText() }
  return async (line: string) => {
    const { code, stdout, stderr } = await runCommand(line.split(' '), env)
    assert.equal(code, 0, `${line}: ${stderr}`)
    assert.doesNotMatch(stdout, /undefined|NaN/, line)
    return stdout
  }
}

/** A program of then, as a file. */
function programFile(t: TestContext): string {
  const path = join(temporaryDirectory(t), 'program.yaml')
  writeFileSync(path, JSON.parse(answered.find((one) => one.path === '/api/admin/programs/2')!.text).source)
  return path
}

test('commands print what a service of commit 6168b5d answers, and leave out what it does not say', async (t) => {
  const run = await besideEarlierService(t)
  const statistics = ['summary', 'points', 'rules', 'orders', 'predictions', 'levels', 'accounts', 'feeds']
  for (const line of [
    ...[...statistics, 'unknown-products'].map((noun) => `stats ${noun}`),
    'player show u-05',
    'order show p-1',
    'token list',
    'session list',
    'settings show',
    'program list',
    'program show 2',
    'job list',
    'points report --from 2026-02-01 --to 2026-03-31',
    'predictions report',
    'ledger verify',
    `program backtest ${programFile(t)}`,
  ]) {
    assert.notEqual(await run(line), '', line)
    JSON.parse(await run(`${line} --json`))
  }
  const page = join(temporaryDirectory(t), 'page.html')
  for (const line of [
    'acts',
    'points report --from 2026-02-01 --to 2026-03-31 --csv',
    'points expiring --from 2026-04-20 --to 2026-12-31',
    'points expiring --from 2026-04-20 --to 2026-12-31 --json',
    'points expiring --from 2026-04-20 --to 2026-12-31 --csv',
    `program backtest ${programFile(t)} --html ${page}`,
  ])
    assert.notEqual(await run(line), '', line)
  assert.doesNotMatch(readFileSync(page, 'utf8'), /undefined|NaN/)

  const [head, issued] = (await run('stats summary')).split('\n').filter((line) => /^(figure|issued) /.test(line))
  assert.deepEqual(
    [head, issued].map((line) => line!.trim().split(/ {2,}/)),
    [
      ['figure', 'count', 'points', 'previous', 'previous points', 'quality', 'as of'],
      ['issued', '42', '5569', '0', '0', 'exact', '-'],
    ],
  )
  assert.match(await run('player show u-05'), /^points +243\npending +0\n/m)
})

/*
 * `laurel console`: a sign-in link that works once; and tokens for the roles of people.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { TOKEN_ID_BYTES, TOKEN_SECRET_BYTES, tokenText } from '../../src/resources/tokens/token-text.ts'
import { runCommand } from '../support/run-command.ts'
import { startService, usedDataDirectory } from '../support/service-process.ts'
import { send } from '../support/test-app.ts'

const OWN_PAGE = {
  'x-laurel-console': '1',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
}

test('a command prints a sign-in link that works once, at the port of the console, with the role of a token (decision 131)', async (t) => {
  const data = await usedDataDirectory(t)
  const service = await startService({ data, env: { CONSOLE_PORT: '0' } })
  t.after(() => service.kill())
  const made = await runCommand(['token', 'create', 'asha', '--role', 'publisher', '--json'], { LAUREL_DATA: data })
  const { id, scopes } = JSON.parse(made.stdout)
  assert.deepEqual(scopes, ['read', 'program', 'publish'])
  const { code, stdout, stderr } = await runCommand(['console', '--token', id], { LAUREL_DATA: data })
  assert.equal(code, 0, stderr)
  assert.match(stderr, new RegExp(`^one-time sign-in link to the console for token ${id}, valid until .*:\n$`))
  const [, url, text] = /^(http:\/\/127\.0\.0\.1:\d+)\/console\/#code=([\w-]{43})\n$/.exec(stdout)!
  assert.notEqual(url, service.url)
  const signIn = () =>
    send(url!, 'POST', '/api/console/session', Buffer.from(JSON.stringify({ data: { code: text } })), OWN_PAGE)
  const first = await signIn()
  assert.deepEqual([first.status, first.body.role, first.body.token.name], [200, 'publisher', 'asha'])
  assert.equal((await signIn()).status, 401)
  assert(!`${service.stdout()}${service.stderr()}`.includes(text!))
  const listed = await runCommand(['session', 'list'], { LAUREL_DATA: data })
  const [, session] = /^([0-9a-f]{12}) {2}asha {2}other /m.exec(listed.stdout)!
  const ended = await runCommand(['session', 'end', session!], { LAUREL_DATA: data })
  assert.equal(ended.stdout, `session ${session} has ended; every service refuses it within a second\n`)
  const acts = await runCommand(['audit', '--limit', '2'], { LAUREL_DATA: data })
  assert.match(acts.stdout, new RegExp(`first  session-ended  ${session}  \\{\\}\n.*asha   signed-in      ${session} `))
  assert.match(acts.stderr, /^more with --after [\w-]+\n$/)
  const signedIn = await runCommand(['audit', '--by', 'asha', '--act', 'signed-in', '--json'], { LAUREL_DATA: data })
  const { entries: found, after } = JSON.parse(signedIn.stdout)
  assert.deepEqual(
    [found.map(({ act, by }: Record<string, string>) => `${act} ${by}`), after],
    [[`signed-in ${id}`], null],
  )
  const formerly = await runCommand(['acts', '--by', 'asha', '--act', 'signed-in', '--json'], { LAUREL_DATA: data })
  assert.deepEqual(JSON.parse(formerly.stdout), { acts: found, after: null }, 'decision 219')
  const nobody = await runCommand(['audit', '--by', 'ahsa'], { LAUREL_DATA: data })
  assert.equal(nobody.stderr, 'no entries by ahsa: npx --no laurel token list shows names and IDs\n')
  const unknown = await runCommand(['audit', '--act', 'x'], { LAUREL_DATA: data })
  assert.match(unknown.stderr, /^laurel: .*expected one of signed-in, session-ended, /)
  // Without a terminal the service itself prints no link.
  assert.doesNotMatch(service.stdout(), /#code=/)
})

test('the link keeps the path of --url', async (t) => {
  const paths: (string | undefined)[] = []
  const answered = { code: 'c', token_id: '0123456789ab', expires_at: '2026-01-31T12:00:00.000Z' }
  const proxy = createServer((request, response) => {
    paths.push(request.url)
    response.end(JSON.stringify(answered))
  }).listen(0, '127.0.0.1')
  t.after(() => proxy.close())
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/laurel`
  const token = tokenText(Buffer.alloc(TOKEN_ID_BYTES), Buffer.alloc(TOKEN_SECRET_BYTES))
  for (const end of ['', '/']) {
    const { stdout, stderr } = await runCommand(['console', '--url', `${url}${end}`], { LAUREL_TOKEN: token })
    assert.equal(stdout, `${url}/console/#code=c\n`, stderr)
  }
  assert.deepEqual(paths, Array(2).fill('/laurel/api/admin/sign-in-codes'))
})

test('a missing service or missing scopes are reported in one line', async (t) => {
  const data = await usedDataDirectory(t)
  assert(existsSync(join(data, 'token')))
  for (const [args, expected] of [
    [['console'], /^laurel: no running service found: run npm start, or pass --url\n$/],
    [['token', 'create', 'asha'], /^laurel: missing --scope or --role \(see laurel token create --help\)\n$/],
    [
      ['token', 'create', 'asha', '--role', 'boss'],
      /^laurel: .*'boss' is invalid. Allowed choices are viewer, support,/,
    ],
    [['token', 'create', 'asha', '--role', 'viewer', '--scope', 'read'], /^laurel: .*cannot be used with/],
  ] as const) {
    const { code, stderr } = await runCommand(args, { LAUREL_DATA: data })
    assert.match(stderr, expected)
    assert.equal(code, 2)
  }
})

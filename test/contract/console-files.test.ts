import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { readConsoleFiles } from '../../src/server/console.ts'
import { openTestApp, type TestApp } from '../support/test-app.ts'

const PAGE = '<!doctype html><title>Laurel</title>'
const SCRIPT = 'console.log("laurel")'

/** A build like the console's own, beside a secret and with a link to it. */
function aBuild(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'laurel-console-'))
  t.after(() => rmSync(root, { recursive: true }))
  const dist = join(root, 'dist')
  mkdirSync(join(dist, 'assets'), { recursive: true })
  writeFileSync(join(root, 'secret.txt'), 'secret')
  symlinkSync(join(root, 'secret.txt'), join(dist, 'link.txt'))
  writeFileSync(join(dist, 'index.html'), PAGE)
  writeFileSync(join(dist, 'assets/app-1a2b.js'), SCRIPT)
  writeFileSync(join(dist, 'assets/app-1a2b.js.br'), 'as brotli')
  writeFileSync(join(dist, 'assets/app-1a2b.js.gz'), 'as gzip')
  return dist
}

/** A request for exactly this path: a URL would have its dots resolved. */
async function get({ url }: Pick<TestApp, 'url'>, path: string, headers = {}, method = 'GET') {
  const { hostname, port } = new URL(url)
  const request = http.request({ hostname, port, path, method, headers, agent: false }).end()
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  return { status: response.statusCode, headers: response.headers, text: await text(response) }
}

test('the console is served from memory below /console, with constant headers (decision 131)', async (t) => {
  const directory = aBuild(t)
  const app = await openTestApp(t, { readConsole: () => readConsoleFiles(directory) })
  const page = await get(app, '/console/')
  assert.deepEqual(
    [page.status, page.text, page.headers['content-type'], page.headers['cache-control']],
    [200, PAGE, 'text/html; charset=utf-8', 'no-cache'],
  )
  for (const path of ['/console', '/console/players/u-1', '/console/%2e%2e/players?x=<script>'])
    assert.equal((await get(app, path)).text, PAGE, path)
  const asset = '/console/assets/app-1a2b.js'
  const script = await get(app, asset)
  assert.deepEqual(
    [script.status, script.text, script.headers['content-type'], script.headers['cache-control'], script.headers.vary],
    [200, SCRIPT, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'accept-encoding'],
  )
  for (const { headers } of [page, script]) {
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; .*require-trusted-types-for 'script'/,
    )
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*|https?:/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  }
  for (const [accepted, coding, body] of [
    ['gzip, deflate, br', 'br', 'as brotli'],
    ['gzip', 'gzip', 'as gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'as gzip'],
    ['identity', undefined, SCRIPT],
  ] as const) {
    const coded = await get(app, asset, { 'accept-encoding': accepted })
    assert.deepEqual([coded.headers['content-encoding'], coded.text], [coding, body], accepted)
  }
  const again = await get(app, '/console/', { 'if-none-match': page.headers.etag })
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', page.headers.etag])
  const head = await get(app, '/console/', {}, 'HEAD')
  assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', String(PAGE.length)])
})

test('no path leads out of the build, and an asset of an older build is not found (decision 131)', async (t) => {
  const directory = aBuild(t)
  const app = await openTestApp(t, { readConsole: () => readConsoleFiles(directory) })
  for (const path of [
    '/console/../secret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/..%2fsecret.txt',
    '/console/..%5csecret.txt',
    '/console//etc/passwd',
    '/console/link.txt',
    '/console/assets/../../secret.txt',
    '/console/assets/%00',
    '/console/index.html%00.js',
    '/console/__proto__',
    '/console/constructor',
  ]) {
    const { text: response } = await get(app, path)
    assert(response === PAGE || response.includes('"error":"not found"'), `${path}: ${response}`)
  }
  assert.equal((await get(app, '/console/assets/app-0000.js')).status, 404)
  assert.equal((await get(app, '/console/', {}, 'POST')).status, 404)
})

test('browsers are redirected from / to the console, and other clients get 404 (decision 131)', async (t) => {
  const directory = aBuild(t)
  const app = await openTestApp(t, { readConsole: () => readConsoleFiles(directory) })
  const browser = await get(app, '/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
  assert.deepEqual([browser.status, browser.headers.location], [302, '/console/'])
  assert.equal((await get(app, '/', { accept: '*/*' })).status, 404)
})

test('without a build the service answers all the same, and /console says what to do (decision 131)', async (t) => {
  const app = await openTestApp(t, { readConsole: () => readConsoleFiles('/nowhere') })
  const { status, text: sentence, headers } = await get(app, '/console/')
  assert.deepEqual([status, headers['content-type']], [404, 'text/plain; charset=utf-8'])
  assert.match(sentence, /npm ci/)
  assert.equal((await get(app, '/healthz')).status, 200)
})

test('CONSOLE=off serves no console, and CONSOLE_PORT serves it only on its own port (decision 131)', async (t) => {
  const directory = aBuild(t)
  const readConsole = () => readConsoleFiles(directory)
  const without = await openTestApp(t, { readConsole, env: { CONSOLE: 'off' } })
  assert.equal((await get(without, '/console/')).status, 404)

  const app = await openTestApp(t, { readConsole, env: { CONSOLE_PORT: '0' } })
  const { consoleServer } = app.service.app
  assert(consoleServer)
  await new Promise<void>((listening) => consoleServer.listen({ host: '127.0.0.1', port: 0 }, listening))
  const { port } = consoleServer.address() as { port: number }
  const beside = { url: `http://127.0.0.1:${port}` }
  assert.equal((await get(app, '/console/')).status, 404)
  assert.equal((await get(app, '/', { accept: 'text/html' })).status, 404)
  assert.equal((await get(beside, '/console/')).text, PAGE)
  assert.equal((await get(beside, '/', { accept: 'text/html' })).status, 302)
  assert.equal((await get(beside, '/api/admin/programs', { token: app.service.ownToken })).status, 200)
})

/*
 * The client as its users get it: built and packed by npm, and installed by npm into an empty project without this clone.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { OPERATIONS } from '../support/api-description.ts'
import { apiScenario, prepareScenario } from '../support/api-scenario.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { openTestApp } from '../support/test-app.ts'

const run = promisify(execFile)
const CLIENT = join(PROJECT, 'packages/client')
const home = mkdtempSync(join(tmpdir(), 'laurel-client-'))

type Answer = Readonly<{ data?: unknown; error?: unknown; response?: Response }>
type Call = (options?: object) => Promise<Answer>
type Options = Readonly<{ url: string; token: string; retries?: number }>
type Client = Readonly<Record<string, Call>>

/** The installed client. */
async function clientOf(options: Options): Promise<Client> {
  const { createLaurel } = await import(join(home, 'node_modules/@laurel/client/dist/index.js'))
  return createLaurel(options)
}

/** All but the one that `fetch` cannot send. */
const METHODS = OPERATIONS.map(({ operationId }) => operationId).filter((id) => id !== 'predictOrderByGet')

/** What a user writes; it must compile, and the lines marked as errors must not. */
const PROGRAM = `import { createLaurel, type PredictOrderData } from '@laurel/client'

const laurel = createLaurel({ url: 'http://127.0.0.1:8080', token: 'laurel_1' })
const order: PredictOrderData['body']['data'] = ${JSON.stringify(anOrder())}
const { data, error } = await laurel.predictOrder({ body: { data: order }, query: { explain: true } })
if (data !== undefined) {
  const points: number = data.total_points
  // @ts-expect-error: a message is a text
  const message: number = data.message
  console.log(points, message)
} else console.log(error)
const { data: upserted } = await laurel.upsertPlayers({ body: { data: [] }, throwOnError: true })
const inserted: number = upserted.inserted
// @ts-expect-error: an order needs data
await laurel.recordOrders({ body: {} })
// @ts-expect-error: there is no such operation
await laurel.burnPoints()
console.log(inserted, [${METHODS.map((name) => `laurel.${name}`).join(', ')}])
`

/** A service that gives these answers in turn: a status, or none and the end of the connection. Returns what was asked. */
async function answering(t: TestContext, answers: readonly (number | undefined)[]) {
  const asked: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    const status = answers[asked.length]
    asked.push(`${request.method} ${request.url}`)
    request.resume().once('end', () => {
      if (status === undefined) return request.socket.destroy()
      const headers = { 'content-type': 'application/json', 'retry-after': '0', connection: 'close' }
      response.writeHead(status, headers).end(JSON.stringify(status === 200 ? { inserted: 1 } : { error: 'later' }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

describe('the client', () => {
  before(async () => {
    await run('npm', ['pack', '--pack-destination', home], { cwd: CLIENT })
    const { default: client } = await import(join(CLIENT, 'package.json'), { with: { type: 'json' } })
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
    const packed = join(home, `laurel-client-${client.version}.tgz`)
    await run('npm', ['install', '--prefix', home, '--offline', '--no-audit', '--no-fund', packed], { cwd: home })
  })
  after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))

  test('is what publint expects of a package, and comes with its licences', async () => {
    const { messages, pkg } = await publint({
      pkgDir: join(home, 'node_modules/@laurel/client'),
      pack: false,
      strict: true,
    })
    for (const name of ['LICENSE', 'dist/THIRD-PARTY-NOTICES.txt'])
      assert(existsSync(join(home, 'node_modules/@laurel/client', name)), name)
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg, { color: false })),
      [],
    )
  })

  test('has a typed method for each operation, in a project with nothing else', async () => {
    writeFileSync(join(home, 'program.ts'), PROGRAM)
    const compilerOptions = {
      ...{ target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], types: [], module: 'nodenext' },
      ...{ strict: true, noEmit: true, noUncheckedIndexedAccess: true },
    }
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, '-p', home]).catch(({ stdout }) => assert.fail(stdout))
  })

  test('calls every operation of a service (decision 110)', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-06-01T12:00:00Z') })
    await prepareScenario(app.service)
    const laurel = await clientOf({ url: app.url, token: app.service.ownToken })
    for (const { operationId, params, idFrom, body } of apiScenario()) {
      if (!METHODS.includes(operationId)) continue
      const lists = { tokens: 'listTokens', jobs: 'listJobs' } as const
      const listed =
        idFrom && ((await laurel[lists[idFrom]]!()).data as Record<typeof idFrom, { id: string }[]>)[idFrom]
      const { data, error, response } = await laurel[operationId]!({
        path: listed === undefined ? params : { id: listed[0]!.id },
        ...(body === undefined ? {} : { body }),
      })
      assert.equal(response?.status, 200, `${operationId}: ${JSON.stringify(error)}`)
      assert.notEqual(data, undefined, operationId)
    }
  })

  test('upserts 100,000 players in one call', async (t) => {
    const app = await openTestApp(t)
    const laurel = await clientOf({ url: app.url, token: app.service.ownToken })
    const players = Array.from({ length: 100_000 }, (_, n) => aPlayer({ User_id: `u-${n}`, Refercode: `R${n}` }))
    const { data, error } = await laurel.upsertPlayers!({ body: { data: players } })
    assert.equal(error, undefined)
    assert.equal((data as { inserted: number }).inserted, players.length)
  })

  test('repeats a request that is safe to repeat, after a refusal and after no answer, as often as it may', async (t) => {
    const { url, asked } = await answering(t, [503, undefined, 429, 200])
    const laurel = await clientOf({ url, token: 'laurel_1' })
    const { data } = await laurel.upsertPlayers!({ body: { data: [aPlayer()] } })
    assert.deepEqual(data, { inserted: 1 })
    assert.deepEqual(asked, Array(4).fill('POST /api/integration/players'))

    const busy = await answering(t, [503, 503, 503])
    const impatient = await clientOf({ url: busy.url, token: 'laurel_1', retries: 1 })
    const { response, error } = await impatient.showAccount!({ path: { user_id: 'u-1' } })
    assert.deepEqual([response?.status, error, busy.asked.length], [503, { error: 'later' }, 2])
  })

  test('sends once what is not safe to repeat, and what was refused for good', async (t) => {
    const unsafe = await answering(t, [503, undefined])
    const laurel = await clientOf({ url: unsafe.url, token: 'laurel_1' })
    const body = { data: { name: 'shop', scopes: ['predict'] } }
    assert.equal((await laurel.createToken!({ body })).response?.status, 503)
    const { error, response } = await laurel.createToken!({ body })
    assert(error instanceof TypeError)
    assert.deepEqual([response, unsafe.asked.length], [undefined, 2])

    const refused = await answering(t, [400])
    const other = await clientOf({ url: refused.url, token: 'laurel_1' })
    assert.equal((await other.upsertPlayers!({ body: { data: [] } })).response?.status, 400)
    assert.equal(refused.asked.length, 1)
  })
})

import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { apiScenario, prepareScenario } from '../support/api-scenario.ts'
import { testDatabase } from '../support/databases.ts'
import { runOnce } from '../support/postgres-server.ts'
import { runCommand } from '../support/run-command.ts'
import { openTestAppAt } from '../support/test-app.ts'

/** The URL of a database for a new role that may create nothing. */
async function urlOfUser(t: TestContext, url: string): Promise<string> {
  const name = `shop_${new URL(url).pathname.slice(1)}`
  await runOnce(url, `create role ${name} login`)
  t.after(() => runOnce(url, `drop owned by ${name}`, `drop role ${name}`))
  return url.replace('postgres@', `${name}@`)
}

test('a user who may not create tables is told who may, in one sentence', async (t) => {
  const url = await testDatabase(t)
  const asUser = await urlOfUser(t, url)
  const expected =
    /^laurel: the database refused: permission denied for [^;]+; run laurel migrate as the owner of the tables, and grant .*\n$/
  const refused = async () => {
    const { code, stderr } = await runCommand(['migrate'], { DATABASE_URL: asUser })
    assert.equal(code, 2, stderr)
    assert.match(stderr, expected)
  }
  await refused()
  await runCommand(['migrate'], { DATABASE_URL: url })
  await refused()
})

test('a user who may only read and write rows can do everything that the API offers', async (t) => {
  const url = await testDatabase(t)
  const asUser = await urlOfUser(t, url)
  await runCommand(['migrate'], { DATABASE_URL: url })
  const name = new URL(asUser).username
  await runOnce(url, `grant select, insert, update, delete on all tables in schema public to ${name}`)
  const app = await openTestAppAt(t, asUser)
  await prepareScenario(app.service)
  for (const { operationId, method, path, params, idFrom, body: sent } of apiScenario()) {
    const listed = idFrom === undefined ? [] : (await app.ask('GET', `/api/admin/${idFrom}`)).body[idFrom]
    const values: Readonly<Record<string, string>> = idFrom === undefined ? params : { ...params, id: listed[0].id }
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!)
    const { status, text } = await app.ask(method, at, sent === undefined ? {} : { body: sent })
    assert.equal(status, 200, `${operationId}: ${text}`)
  }
})

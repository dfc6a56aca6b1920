import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { makeFirstToken } from '../../src/cli/serve/first-token.ts'
import { readConfig } from '../../src/config.ts'
import { OperatorError } from '../../src/errors.ts'
import { newToken, newTokenText } from '../../src/resources/tokens/service.ts'
import { insertFirstToken } from '../../src/resources/tokens/store.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { forEachService, openTestApp } from '../support/test-app.ts'

forEachService((openTestApp) => {
  test('the first token can be given by a setting, and then no file is written (decision 60)', async (t) => {
    const app = await openTestApp(t)
    const LAUREL_DATA = join(temporaryDirectory(t), 'data')
    const statusWith = async (token: string) =>
      (await app.ask('GET', '/api/admin/tokens', { headers: { token } })).status
    const [first, second] = [newTokenText(), newTokenText()]
    for (const [LAUREL_FIRST_TOKEN, statuses] of [
      [first, [200, 401]],
      [second, [200, 401]],
    ] as const) {
      assert.equal(await makeFirstToken(readConfig({ LAUREL_DATA, LAUREL_FIRST_TOKEN }), app.service), undefined)
      assert.deepEqual([await statusWith(first), await statusWith(second)], statuses)
    }
    assert.equal(existsSync(LAUREL_DATA), false)
  })

  test('a service knows the first token from its start, also if another one that started at the same time stored it (decision 60)', async (t) => {
    const app = await openTestApp(t)
    const token = newTokenText()
    const { stored } = newToken('first', ['admin'], app.service.deps.now(), undefined, token)
    await app.service.db.transaction((tx) => insertFirstToken(tx, stored), performance.now() + 10_000)
    const LAUREL_DATA = join(temporaryDirectory(t), 'data')
    assert.equal(await makeFirstToken(readConfig({ LAUREL_DATA, LAUREL_FIRST_TOKEN: token }), app.service), undefined)
    assert.equal((await app.ask('GET', '/api/admin/tokens', { headers: { token } })).status, 200)
  })
})

test('the first token can be given in a file, which must hold a well-formed one; both settings at once are refused (decision 60)', async (t) => {
  const app = await openTestApp(t)
  const directory = temporaryDirectory(t)
  const LAUREL_FIRST_TOKEN_FILE = join(directory, 'secret')
  const given = { LAUREL_DATA: join(directory, 'data'), LAUREL_FIRST_TOKEN_FILE }
  const refused = async (env: Record<string, string>, expected: RegExp) => {
    const make = async () => makeFirstToken(readConfig(env), app.service)
    await assert.rejects(make(), (error) => error instanceof OperatorError && expected.test(error.message))
  }
  const token = newTokenText()
  await refused({ LAUREL_FIRST_TOKEN: 'secret' }, /^LAUREL_FIRST_TOKEN is set to something else, expected a token as/)
  await refused(given, /^LAUREL_FIRST_TOKEN_FILE is "\S+\/secret", expected a file that can be read \(ENOENT\)$/)
  writeFileSync(LAUREL_FIRST_TOKEN_FILE, token.replace('laurel', 'Laurel'))
  await refused(
    given,
    /^LAUREL_FIRST_TOKEN_FILE is "\S+\/secret", expected a file with a token as `laurel token create` shows it$/,
  )
  await refused(
    { ...given, LAUREL_FIRST_TOKEN: token },
    /^LAUREL_FIRST_TOKEN_FILE and LAUREL_FIRST_TOKEN cannot be combined: unset one$/,
  )
  writeFileSync(LAUREL_FIRST_TOKEN_FILE, `${token}\n`)
  assert.equal(await makeFirstToken(readConfig(given), app.service), undefined)
  assert.equal((await app.ask('GET', '/api/admin/tokens', { headers: { token } })).status, 200)
})

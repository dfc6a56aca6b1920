import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { describeConfig, readConfig } from './config.ts'

test('trusted proxies are addresses or networks that exist; anything else stops the start with what is expected', () => {
  const read = (TRUSTED_PROXIES: string) => readConfig({ TRUSTED_PROXIES }).trustedProxies
  assert.deepEqual(read('10.0.0.5, 10.0.0.0/8,::1,fd00::/8'), ['10.0.0.5', '10.0.0.0/8', '::1', 'fd00::/8'])
  for (const wrong of ['10.0.0.0/33', 'abc', '1:::2', '::1/129', '10.0.0.1/', '10.0.0.1/8/8', ',', '10.0.0']) {
    assert.throws(() => read(wrong), /^Error: TRUSTED_PROXIES is ".*", expected comma-separated addresses or networks/)
  }
})

test('a secret can stand in a file, which is named but never shown; both at once are refused', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-secrets-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'url')
  const environment = { DATABASE_URL_FILE: file }
  assert.throws(
    () => readConfig(environment),
    /^Error: DATABASE_URL_FILE is "\S+\/url", expected a file that can be read \(ENOENT\)$/,
  )
  writeFileSync(file, 'mysql://root:secret@db/shop')
  assert.throws(
    () => readConfig(environment),
    /^Error: DATABASE_URL_FILE is "\S+\/url", expected a file with a URL like /,
  )
  writeFileSync(file, 'postgres://laurel@db/shop\npostgres://laurel:secret@db/shop\n')
  assert.throws(
    () => readConfig(environment),
    /^Error: DATABASE_URL_FILE is "\S+\/url", expected a file with a URL like /,
  )
  writeFileSync(file, '\r\npostgres://laurel:secret@db/shop\r\n\n')
  assert.equal(readConfig(environment).databaseUrl, 'postgres://laurel:secret@db/shop')
  const shown = describeConfig(environment).find(({ name }) => name === 'DATABASE_URL')!
  assert.deepEqual([shown.value, shown.origin], ['(set, not shown)', `file ${file}`])
  assert.throws(
    () => readConfig({ ...environment, DATABASE_URL: 'postgres://db/shop' }),
    /^Error: DATABASE_URL_FILE and DATABASE_URL cannot be combined: unset one$/,
  )
  writeFileSync(file, 'laurel_1')
  assert.equal(readConfig({ LAUREL_TOKEN_FILE: file }).token, 'laurel_1')
})

test('a setting is read under its former name where it is not set under that of today, and is shown with both (decision 219)', () => {
  const cases = [
    [{}, 90, 'default'],
    [{ PREDICTIONS_RETENTION_DAYS: '7' }, 7, 'environment'],
    [{ PREDICTIONS_KEPT_DAYS: '30' }, 30, 'environment, as PREDICTIONS_KEPT_DAYS (deprecated)'],
    [
      { PREDICTIONS_RETENTION_DAYS: '', PREDICTIONS_KEPT_DAYS: '0' },
      0,
      'environment, as PREDICTIONS_KEPT_DAYS (deprecated)',
    ],
    [{ PREDICTIONS_RETENTION_DAYS: '7', PREDICTIONS_KEPT_DAYS: 'x' }, 7, 'environment'],
  ] as const
  for (const [environment, days, origin] of cases) {
    assert.equal(readConfig(environment).predictionsKeptDays, days)
    const shown = describeConfig(environment).find(({ name }) => name === 'PREDICTIONS_RETENTION_DAYS')!
    assert.deepEqual([shown.value, shown.origin], [String(days), origin])
  }
  assert.throws(
    () => readConfig({ PREDICTIONS_KEPT_DAYS: '-1' }),
    /^Error: PREDICTIONS_KEPT_DAYS is "-1", expected an integer between 0 and 3650$/,
  )
})

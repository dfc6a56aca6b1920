import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aPlayer, without } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import { type ServiceProcess, startService, temporaryDirectory, tokenIn } from '../support/service-process.ts'
import { LONG_TIMEOUTS, openServerApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const PROCESSES = 3

/** Services on one PostgreSQL database, a process each; the first one has created the token. */
async function replicas(t: TestContext): Promise<{ services: ServiceProcess[]; databaseUrl: string }> {
  const databaseUrl = await testDatabase(t)
  const services: ServiceProcess[] = []
  for (let number = 0; number < PROCESSES; number += 1) {
    const data = join(temporaryDirectory(t), 'data')
    const token = services[0] && { token: tokenIn(services[0].data) }
    const service = await startService({ data, env: { DATABASE_URL: databaseUrl, ...LONG_TIMEOUTS }, ...token })
    t.after(() => service.kill())
    services.push(service)
  }
  return { services, databaseUrl }
}

test('a setting changed by one process takes effect in all; a command changes it without any of them (decision 70)', async (t) => {
  const { services, databaseUrl } = await replicas(t)
  const [first, ...others] = services as [ServiceProcess, ...ServiceProcess[]]
  const path = '/api/integration/players?dry_run=true'
  const accepts = async (service: ServiceProcess) =>
    (await service.ask(path, { body: { data: [aPlayer({ Gender: 'diverse' })] } })).body.inserted === 1
  for (const service of services) assert.equal(await accepts(service), false)
  const data = { 'players.genders': ['female', 'male', 'diverse'] }
  const reply = await first.ask('/api/admin/settings', { method: 'PUT', body: { data } })
  assert.equal(reply.status, 200, reply.text)
  assert.equal(await accepts(first), true, 'at once where it was set')
  for (const service of others) await eventually('another process accepts it', () => accepts(service))
  const { code, stdout } = await runCommand(['settings', 'reset', 'players.genders'], { DATABASE_URL: databaseUrl })
  assert.deepEqual([code, stdout], [0, 'players.genders is male,female\n'])
  for (const service of services)
    await eventually('no process accepts it any more', async () => !(await accepts(service)))
})

test('settings are set, shown and reset by commands, which say what is wrong (decision 70)', async (t) => {
  const { url, token } = await openServerApp(t)
  const run = (...args: string[]) => runCommand(['settings', ...args, '--url', url], { LAUREL_TOKEN: token })
  assert.equal((await run('set', 'players.required', 'Name,Country')).stdout, 'players.required is Name,Country\n')
  assert.equal((await run('set', 'players.required', '')).stdout, 'players.required is (none)\n')
  const shown = (await run('show')).stdout
  assert.match(shown, /^players\.required +\(none\) +set \d{4}-\S+ by \S+ +required player fields; all others /m)
  assert.match(shown, /^players\.genders +male,female +default +allowed values of Gender$/m)
  const listed = JSON.parse((await run('show', '--json')).stdout) as { key: string; value: unknown }[]
  assert.deepEqual(listed.find(({ key }) => key === 'players.required')!.value, [])
  assert.equal((await run('reset', 'money.currency')).stdout, 'money.currency is (none)\n')
  assert.equal(
    (await run('set', 'audit-log.keep', 'P13M', '--dry-run')).stdout,
    'dry run: audit-log.keep would be P13M\n0 rows would be deleted\n',
  )
  assert.equal(
    (await run('set', 'players.erase-after', 'P3Y', '--dry-run')).stdout,
    'dry run: players.erase-after would be P3Y\n0 players would be erased\n',
  )
  assert.equal(
    (await run('reset', 'players.dates', '--dry-run')).stdout,
    'dry run: players.dates would be DD-MM-YYYY\n',
  )
  assert.match((await run('show')).stdout, /^audit-log\.keep +forever +default /m)
  const wrong = await run('set', 'players.pincode', 'any')
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [1, 'laurel: data.players.pincode: expected digits or text, got "any"\n'],
  )
  assert.match((await run('set', 'pincode', 'text')).stderr, /^laurel: data\.pincode: unknown setting, /)
})

test('a file of players needs the columns that the shop requires, and no others (decision 70)', async (t) => {
  const { url, token, ask } = await openServerApp(t)
  const env = { LAUREL_TOKEN: token }
  const file = join(temporaryDirectory(t), 'players.csv')
  const player = without(aPlayer({ Refercode: '' }), 'DOB')
  writeFileSync(file, `${Object.keys(player).join(',')}\n${Object.values(player).join(',')}\n`)
  const refused = await runCommand(['import', 'players', file, '--url', url], env)
  assert.equal(refused.code, 2)
  assert.match(
    refused.stderr,
    /players\.csv: the first line has no column DOB\n {2}one value for all records: --default DOB=/,
  )
  const data = { 'players.required': 'Name,Refercode' }
  assert.equal((await ask('PUT', '/api/admin/settings', { body: { data } })).status, 200)
  const { code, stdout } = await runCommand(['import', 'players', file, '--url', url], env)
  assert.deepEqual([code, stdout], [0, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n'])
})

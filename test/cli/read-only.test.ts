import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { newTokenText } from '../../src/resources/tokens/service.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { startService, temporaryDirectory } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'

test('on PostgreSQL, with its secrets in files, a service works where nothing can be written', async (t) => {
  const secrets = temporaryDirectory(t)
  const token = newTokenText()
  const fileWith = (name: string, text: string) => {
    const file = join(secrets, name)
    writeFileSync(file, `${text}\n`)
    return file
  }
  const service = await startService({
    data: '/dev/null/data',
    env: {
      TMPDIR: '/dev/null/tmp',
      NODE_COMPILE_CACHE: undefined,
      DATABASE_URL_FILE: fileWith('url', await testDatabase(t)),
      LAUREL_FIRST_TOKEN_FILE: fileWith('token', token),
    },
    // Not even a byte can be written to any file.
    limit: 'ulimit -f 0',
    token,
  })
  t.after(() => service.kill())
  const players = Array.from({ length: 3_000 }, (_, index) => aPlayer({ User_id: `u-${index}`, Refercode: '' }))
  const orders = players
    .slice(0, 300)
    .map(({ User_id }) => anOrder({ order_id: `o-${User_id}`, user_id: String(User_id) }))
  for (const { status, text } of [
    await service.upsert('players', players),
    await service.upsert('orders', orders),
    await service.ask('/api/predictions/orders', { method: 'POST', body: { data: anOrder({ user_id: 'u-1' }) } }),
    await service.ask('/console/'),
  ])
    assert.equal(status, 200, text)
  const { body: program } = await service.ask('/api/admin/programs/current')
  for (const data of [{ kind: 'verify' }, { kind: 'backtest', source: program.source }]) {
    const { status, body } = await service.ask('/api/admin/jobs', { method: 'POST', body: { data } })
    assert.equal(status, 200, JSON.stringify(body))
    await eventually('the job is done', async () => {
      const { body: job } = await service.ask(`/api/admin/jobs/${body.id}`)
      assert.equal(job.error, null)
      return job.state === 'done'
    })
  }
  const { code, stderr } = await service.stop()
  assert.deepEqual([code, stderr], [0, ''])
})

/*
 * Services and commands on an embedded database whose log was damaged after a kill (decision 115).
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { runCommand } from '../support/run-command.ts'
import { type Ended, launchService, startService, temporaryDirectory, tokenIn } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'

function assertDamaged({ code, stdout, stderr }: Ended): void {
  assert.match(
    stderr,
    /^laurel: the database in \S+ is damaged or has failed \([^\n]+\)\. Nothing more was written\. [^\n]+\n$/,
  )
  assert.equal(code, 70)
  assert.doesNotMatch(stdout, /service-started/)
}

/** The outcome of a start; a service that comes up is stopped. */
async function startAgain(data: string): Promise<Ended> {
  const service = launchService({ data })
  let hasEnded = false
  void service.ended.then(() => {
    hasEnded = true
  })
  await eventually('it exits or is ready', () => hasEnded || service.stdout().includes('service-started'))
  return service.stop()
}

/** Flips a bit of the first record after the checkpoint from which recovery reads the log. */
function damageLog(data: string): void {
  const redo = Number(readFileSync(join(data, 'pglite/global/pg_control')).readBigUInt64LE(40))
  const path = join(data, 'pglite/pg_wal/000000010000000000000001')
  const log = readFileSync(path)
  log[(redo % log.length) + 120 + 4]! ^= 1
  writeFileSync(path, log)
}

test('a log damaged after the first start is not taken for a new database: each start ends with 70, and the token stays (decision 115)', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const service = await startService({ data })
  await eventually('the first write is noted', () => existsSync(join(data, 'log-position')))
  await service.kill()
  const token = tokenIn(data)
  damageLog(data)
  assertDamaged(await startAgain(data))
  assertDamaged(await runCommand(['ledger', 'verify'], { LAUREL_DATA: data }))

  // A directory of an older version has no note: the token file shows that there were tables.
  rmSync(join(data, 'log-position'))
  assertDamaged(await startAgain(data))
  assert.equal(tokenIn(data), token)
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('token')),
    ['token'],
  )
})

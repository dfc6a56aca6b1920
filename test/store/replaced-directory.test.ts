import assert from 'node:assert/strict'
import { cpSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPglite } from '../../src/database/embedded/driver.ts'
import { newDataDirectory, temporaryDirectory } from '../support/service-process.ts'

const LATER = () => performance.now() + 60_000

async function write(directory: string, rows: number) {
  const db = await openPglite(directory, { onFatal: () => undefined })
  const session = await db.session(LATER())
  await session.script('create table if not exists filler (text text)')
  await session.query(`insert into filler select repeat(i::text, 20) from generate_series(1, $1::int) i`, [rows])
  session.release(true)
  return db
}

// Elsewhere no path follows a directory that is moved: a restore has to wait for the end of the process (docs/operating.md).
if (process.platform === 'linux')
  test('a directory that is put in place of one that is being closed is left as it is', async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    cpSync(await newDataDirectory(t), data, { recursive: true })
    await (await write(data, 10)).close()
    for (const waitMs of [0, 5, 10, 20]) {
      const [backup, old] = [`${data}-backup-${waitMs}`, `${data}-old-${waitMs}`]
      cpSync(data, backup, { recursive: true })
      const db = await write(data, 60_000)
      const closed = db.close()
      // Closing writes a checkpoint, which takes a while.
      await sleep(waitMs)
      renameSync(data, old)
      cpSync(backup, data, { recursive: true })
      await closed
      const restored = await openPglite(data, { onFatal: () => undefined })
      const session = await restored.session(LATER(), 'read')
      assert.deepEqual(await session.query('select count(*)::int as rows from filler'), [{ rows: 10 }])
      session.release(true)
      await restored.close()
    }
  })

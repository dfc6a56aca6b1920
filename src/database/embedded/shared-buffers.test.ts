import assert from 'node:assert/strict'
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { buffersFor } from './shared-buffers.ts'

test('the page cache is as large as the tables and indexes, between 16 and 128 MB', (t) => {
  const files = mkdtempSync(join(tmpdir(), 'laurel-buffers-'))
  t.after(() => rmSync(files, { recursive: true }))
  const grow = (name: string, bytes: number) => {
    mkdirSync(dirname(join(files, name)), { recursive: true })
    const file = openSync(join(files, name), 'w')
    ftruncateSync(file, bytes)
    closeSync(file)
  }

  grow('base/5/1255', 16 * 2 ** 20)
  assert.equal(buffersFor(files), 16)
  grow('base/5/16384', 1)
  assert.equal(buffersFor(files), 17)
  grow('base/1/1255', 40 * 2 ** 20)
  assert.equal(buffersFor(files), 57)
  grow('pg_wal/000000010000000000000001', 64 * 2 ** 20)
  assert.equal(buffersFor(files), 57)
  grow('base/5/16384', 2 ** 40)
  assert.equal(buffersFor(files), 128)
})

test('an in-memory database has no files, and gets the smallest page cache', () => {
  assert.equal(buffersFor(undefined), 16)
})

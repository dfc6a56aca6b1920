import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { temporaryDirectory } from '../../test/support/service-process.ts'
import { readConfig } from '../config.ts'
import { findRunningService, writeServiceNote } from './data-directory.ts'

test('a running service is found although its process belongs to another user', async (t) => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const config = readConfig({ LAUREL_DATA: temporaryDirectory(t) })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const note = { url, consoleUrl: url, pid: process.pid }
  writeServiceNote(config, note)
  const signal = t.mock.method(process, 'kill', () => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  })
  assert.deepEqual(await findRunningService(config), note)
  signal.mock.mockImplementation(() => {
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
  })
  assert.equal(await findRunningService(config), undefined)
})

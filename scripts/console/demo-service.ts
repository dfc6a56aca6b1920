/*
 * The demonstration of examples/online-retail as a process with a directory of its own, for what is looked at and measured.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { whenReady } from '../../examples/online-retail/demo.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const PORT = 8_180

export type DemoService = Readonly<{ url: string; token: string; close: () => Promise<void> }>

export async function openDemoService(): Promise<DemoService> {
  const home = mkdtempSync(join(tmpdir(), 'laurel-demo-'))
  const data = join(home, 'data')
  const demo = [join(PROJECT, 'examples/online-retail/demo.ts'), '--data', data, '--port', String(PORT)]
  execFileSync(process.execPath, [...demo, '--fill-only'], { cwd: PROJECT, stdio: ['ignore', 'ignore', 'inherit'] })
  const service = spawn(process.execPath, demo, { cwd: PROJECT, stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${PORT}`
  await whenReady(service, url)
  return {
    url,
    token: readFileSync(join(data, 'token'), 'utf8').trim(),
    close: async () => {
      await stop(service)
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function stop(service: ChildProcess): Promise<void> {
  const ended = once(service, 'exit')
  service.kill('SIGINT')
  await ended
}

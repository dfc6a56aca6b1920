/*
 * The demonstration of examples/online-retail as a process with a directory of its own, for screenshots and measurements.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { whenReady } from '../../examples/online-retail/demo.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const PORT = 8_180
const [LOOKS_MAX, LOOK_EVERY_MS] = [300, 200]

export type DemoService = Readonly<{ url: string; token: string; close: () => Promise<void> }>

export async function openDemoService(): Promise<DemoService> {
  const home = mkdtempSync(join(tmpdir(), 'laurel-demo-'))
  const data = join(home, 'data')
  const demo = [join(PROJECT, 'examples/online-retail/demo.ts'), '--data', data, '--port', String(PORT)]
  execFileSync(process.execPath, [...demo, '--fill-only'], { cwd: PROJECT, stdio: ['ignore', 'ignore', 'inherit'] })
  const service = spawn(process.execPath, demo, { cwd: PROJECT, stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${PORT}`
  await whenReady(service, url)
  const token = readFileSync(join(data, 'token'), 'utf8').trim()
  await untilSwept(url, token, new Date().toISOString())
  return {
    url,
    token,
    close: async () => {
      await stop(service)
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The sweep over all accounts runs a second after a start; until then, levels are out of date. */
async function untilSwept(url: string, token: string, since: string): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const response = await fetch(`${url}/api/admin/statistics/accounts`, { headers: { token } })
    const { swept_at } = (await response.json()) as { swept_at?: string }
    if (swept_at !== undefined && swept_at > since) return
    await sleep(LOOK_EVERY_MS)
  }
  throw new Error('the account sweep never ran')
}

async function stop(service: ChildProcess): Promise<void> {
  const ended = once(service, 'exit')
  service.kill('SIGINT')
  await ended
}

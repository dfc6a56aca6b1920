import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const IDLE_MS = 500
const SAMPLE_MS = 50
const run = promisify(execFile)

/**
 * Watches the resident memory of a process. Returns a function that stops watching and returns the peak growth in megabytes.
 * Linux records the peak itself; elsewhere `ps` is polled.
 */
export async function watchMemory(pid: number): Promise<() => Promise<number>> {
  await sleep(IDLE_MS)
  if (existsSync('/proc/self/status')) {
    writeFileSync(`/proc/${pid}/clear_refs`, '5') // Resets the peak.
    const idle = kibibytesOf(pid, 'VmRSS')
    return async () => megabytes(kibibytesOf(pid, 'VmHWM') - idle)
  }
  const idle = await asked(pid)
  let highest = idle
  let watching = true
  const watch = (async () => {
    while (watching) {
      highest = Math.max(highest, await asked(pid))
      await sleep(SAMPLE_MS)
    }
  })()
  return async () => {
    watching = false
    await watch
    return megabytes(highest - idle)
  }
}

const megabytes = (kibibytes: number) => (kibibytes * 1024) / 1e6

function kibibytesOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
}

async function asked(pid: number): Promise<number> {
  return Number((await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout)
}

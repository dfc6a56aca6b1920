/*
 * Commands as separate processes: how long they take, and how much memory.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, launch } from '../test/support/service-process.ts'

const SAMPLE_MS = 20

/** Runs a command to its end. Errors: if it ends with a code other than 0. */
export async function runCommand(
  args: readonly string[],
  env: Environment,
): Promise<{ ms: number; megabytes: number; stdout: string }> {
  const startedAt = performance.now()
  const command = launch(args, { env })
  let isOver = false
  let megabytes = 0
  const watching = (async () => {
    while (!isOver) {
      megabytes = Math.max(megabytes, highest(command.pid))
      await sleep(SAMPLE_MS)
    }
  })()
  const { code, stdout, stderr } = await command.ended
  const ms = performance.now() - startedAt
  isOver = true
  await watching
  if (code !== 0) throw new Error(`laurel ${args.join(' ')} ended with code ${code}: ${stderr}`)
  return { ms, megabytes, stdout }
}

/** The peak resident memory so far, as Linux records it; 0 for a process that has ended. */
function highest(pid: number): number {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return found === null ? 0 : (Number(found[1]) * 1024) / 1e6
  } catch {
    return 0
  }
}

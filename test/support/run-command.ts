/*
 * Commands for tests of what they print and do. A test of the process itself (signals, workers, how it ends) launches one: see service-process.ts.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CommandLine, EndedCommand } from './command-host.ts'
import { type Environment, environmentOf, nodeOptions } from './service-process.ts'

const HOST = fileURLToPath(new URL('command-host.ts', import.meta.url))

let host: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

after(() => host?.disconnect())

/** Runs a command to its end, after those that were run before. Its environment is exactly the given one. */
export function runCommand(
  args: readonly string[],
  env: Environment = {},
  { stdin = '', cwd = tmpdir() }: { stdin?: string; cwd?: string } = {},
): Promise<EndedCommand> {
  const given = Object.entries(environmentOf(env)).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const ended = last.then(() => runInHost({ args, env: Object.fromEntries(given), cwd, stdin }))
  last = ended.catch(() => undefined)
  return ended
}

async function runInHost(line: CommandLine): Promise<EndedCommand> {
  host ??= fork(HOST, { execArgv: nodeOptions(), env: environmentOf({}) as NodeJS.ProcessEnv })
  const over = new AbortController()
  try {
    host.send(line)
    const gone = once(host, 'exit', { signal: over.signal }).then(([code, signal]) => {
      host = undefined
      throw new Error(`laurel ${line.args.join(' ')}: its process ended with ${code ?? signal}`)
    })
    const [ended] = await Promise.race([once(host, 'message', { signal: over.signal }), gone])
    return ended as EndedCommand
  } finally {
    over.abort()
  }
}

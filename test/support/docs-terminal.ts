/*
 * Two terminals in a clone of the project: one shell for all blocks of a document, and one for the service.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import project from '../../package.json' with { type: 'json' }
import { embeddedTemplate } from './database-templates.ts'
import { PROJECT } from './docs-blocks.ts'
import { openNpx } from './docs-npx.ts'
import { nodeOptions } from './service-process.ts'

/** A command of a block that failed. */
export type Failed = Readonly<{ code: number; command: string }>

export type Terminal = Readonly<{
  /** Runs the commands of a block in the shell. Returns their output and the commands that failed. */
  run: (commands: string) => Promise<{ printed: string; failed: readonly Failed[] }>
  /** Starts the service as `npm start` does, with settings, and stops the previous one. Returns a function that reads its output. */
  start: (settings: Readonly<Record<string, string>>) => Promise<() => string>
  stop: () => Promise<void>
}>

/** Whether a program is the machine's or a substitute for it. */
type Origin = 'of-this-machine' | 'stand-in'

export type Machine = Readonly<{
  curl: Origin
  npx: Origin
  /** Whether the service finds an empty, migrated database, which saves the seconds of a first start. */
  hasDatabase: boolean
}>

/** The files of a clone that commands need. Files that no command changes are linked, so that Node's compile cache recognizes them. */
const LINKED = ['bin', 'node_modules', 'scripts', 'src']
const COPIED = ['examples', 'package.json', 'package-lock.json', '.npmrc']
const NODE = join(PROJECT, 'node_modules/.bin/node')
const BLOCK_TIMEOUT_MS = 20 * 60_000
const START_TIMEOUT_MS = 10 * 60_000
const STOP_TIMEOUT_MS = 5 * 60_000
export const DOCUMENTED_PORT = '8080'

/** Opens a terminal in a fresh clone, which is deleted after the test. */
export async function openTerminal(t: TestContext, machine: Machine): Promise<Terminal> {
  const home = mkdtempSync(join(tmpdir(), 'laurel-docs-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const clone = join(home, 'laurel')
  mkdirSync(clone)
  for (const name of LINKED) symlinkSync(join(PROJECT, name), join(clone, name))
  for (const name of COPIED)
    if (existsSync(join(PROJECT, name))) cpSync(join(PROJECT, name), join(clone, name), { recursive: true })
  if (machine.hasDatabase) {
    cpSync((await embeddedTemplate()).directory, join(clone, 'data'), { recursive: true })
    chmodSync(join(clone, 'data'), 0o700)
  }
  const commands = join(home, 'commands')
  const env = environment(commands, machine)
  const port = await freePort()
  // First, as it may fail: nobody would close what was opened before.
  const service = openServices(clone, env, port)
  const npx = machine.npx === 'stand-in' ? openNpx(commands) : undefined
  const shell = openShell(clone, home, env)
  t.after(async () => {
    shell.end()
    npx?.close()
    await service.stop()
  })
  return {
    run: async (commands) => {
      const { printed, failed } = await shell.run(commands.replaceAll(`:${DOCUMENTED_PORT}`, `:${port}`))
      return { printed: printed.replaceAll(`:${port}`, `:${DOCUMENTED_PORT}`), failed }
    },
    start: async (settings) => {
      const seen = await service.start(settings)
      return () => seen().replaceAll(`:${port}`, `:${DOCUMENTED_PORT}`)
    },
    stop: service.stop,
  }
}

/** The environment of a person who has just opened a terminal, without the variables of this test run. */
function environment(commands: string, { curl }: Machine): Record<string, string> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  mkdirSync(commands)
  const writeCommand = (name: string, script: string) =>
    writeFileSync(join(commands, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  writeCommand('curl', `exec ${curlFor(curl, path.join(delimiter))} "$@"`)
  return {
    PATH: [commands, ...path].join(delimiter),
    HOME: process.env.HOME ?? tmpdir(),
    // Nothing is downloaded, and npm's warnings about this machine do not appear in the output.
    npm_config_offline: 'true',
    npm_config_loglevel: 'error',
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
  }
}

/** curl without a progress bar, and with an exit code for a refused request. */
function curlFor(origin: Origin, path: string): string {
  const standIn = `"${NODE}" "${join(PROJECT, 'test/support/docs-curl.ts')}"`
  if (origin === 'stand-in') return standIn
  for (const folder of path.split(delimiter)) {
    const file = join(folder, 'curl')
    if (existsSync(file)) return canFailWithBody(file) ? `"${file}" -s --fail-with-body` : standIn
  }
  return standIn
}

function canFailWithBody(curl: string): boolean {
  try {
    execFileSync(curl, ['--fail-with-body', '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function openShell(clone: string, home: string, env: Record<string, string>) {
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: clone, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const words = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  const [script, output, failures] = ['block.sh', 'output', 'failures'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ]
  shell.stdin.write(`set -o pipefail; trap 'printf "%s %s\\n" "$?" "$BASH_COMMAND" >> "${failures}"' ERR\n`)
  return {
    run: async (commands: string) => {
      // Succeeds itself, so that a failed command is noted once. It is not part of a `||`, which would disable the trap.
      writeFileSync(script, `${commands}\n:\n`)
      writeFileSync(failures, '')
      shell.stdin.write(`source "${script}" > "${output}" 2>&1 < /dev/null; echo done\n`)
      const timeout = setTimeout(() => shell.kill('SIGKILL'), BLOCK_TIMEOUT_MS)
      const { done } = await words.next()
      clearTimeout(timeout)
      const printed = readFileSync(output, 'utf8')
      assert(!done, `the shell ended in:\n${commands}\n${printed}`)
      return { printed, failed: failedOf(readFileSync(failures, 'utf8')) }
    },
    end: () => shell.kill('SIGKILL'),
  }
}

function failedOf(lines: string): Failed[] {
  return [...lines.matchAll(/^(\d+) (.*)$/gm)].map(([, code, command]) => ({ code: Number(code), command: command! }))
}

function openServices(clone: string, env: Record<string, string>, port: number) {
  // The service is started without npm, so that it can be stopped; `npm start` must be this command.
  assert.equal(project.scripts.start, 'exec node --disable-sigusr1 src/cli/main.ts serve')
  let running: ChildProcess | undefined

  async function stop(): Promise<void> {
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const service = running
    const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()))
    service.kill('SIGTERM')
    const timeout = setTimeout(() => service.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(timeout)
  }

  async function start(settings: Readonly<Record<string, string>>): Promise<() => string> {
    await stop()
    let printed = ''
    const service = spawn(NODE, [...nodeOptions(settings), '--disable-sigusr1', 'src/cli/main.ts', 'serve'], {
      cwd: clone,
      env: { ...env, STOP_DELAY_MS: '0', ...settings, PORT: String(port) },
    })
    running = service
    for (const stream of [service.stdout, service.stderr])
      stream.on('data', (chunk: Buffer) => {
        printed += chunk
      })
    const giveUpAt = performance.now() + START_TIMEOUT_MS
    while (!(await isReady(port))) {
      assert(service.exitCode === null && performance.now() < giveUpAt, `the service did not start:\n${printed}`)
      await sleep(50)
    }
    return () => printed
  }

  return { start, stop }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  assert(typeof address === 'object' && address !== null)
  return address.port
}

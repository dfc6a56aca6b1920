/*
 * A process that runs command lines one after the other, each with an environment, a directory and an input of its own, as if each had a process.
 * Starting one takes ten times as long as most commands.
 */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runCommandLine } from '../../src/cli/laurel.ts'
import type { Ended } from './service-process.ts'

export type CommandLine = Readonly<{
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  stdin: string
}>

/** `printed`: both outputs, in the order in which they were written. */
export type EndedCommand = Ended & Readonly<{ printed: string }>

const EXITED = Symbol('process.exit')

/** A command that leaves something open for longer would not end as a process. */
const OPEN_MS_MAX = 60_000

/**
 * The embedded database's program, compiled. As long as one thread holds it, V8 reuses its code for each database that a command opens, which takes
 * a third off the processor time of opening one.
 */
setFlagsFromString('--wasm-lazy-validation')
const PROGRAM = fileURLToPath(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
const held = globalThis as unknown as { WebAssembly: { compile(program: Buffer): Promise<object> }; program?: object }
held.program = await held.WebAssembly.compile(readFileSync(PROGRAM))

process.on('message', async (line: CommandLine) => process.send!(await runAsProcess(line)))
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))

async function runAsProcess({ args, env, cwd, stdin }: CommandLine): Promise<EndedCommand> {
  const output = { stdout: '', stderr: '', printed: '' }
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.exitCode = undefined
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(stdin)]), configurable: true })
  capture(process.stdout, (text) => {
    output.stdout += text
    output.printed += text
  })
  capture(process.stderr, (text) => {
    output.stderr += text
    output.printed += text
  })
  const open = process.getActiveResourcesInfo()
  const code = await Promise.race([runCommandLine(args), exitCalled()])
  await assertOnlyOpen(open)
  return { code: code ?? Number(process.exitCode ?? 0), signal: null, ...output }
}

async function assertOnlyOpen(allowed: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + OPEN_MS_MAX
  for (;;) {
    const more = process.getActiveResourcesInfo()
    for (const kind of allowed) if (more.includes(kind)) more.splice(more.indexOf(kind), 1)
    if (more.length === 0) return
    if (performance.now() > giveUpAt) throw new Error(`the command keeps its process alive with: ${more.join(', ')}`)
    await sleep(5)
  }
}

function capture(stream: NodeJS.WriteStream, add: (text: string) => void): void {
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    add(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const written = rest.find((one) => typeof one === 'function')
    if (written !== undefined) process.nextTick(written as () => void)
    return true
  }) as typeof stream.write
}

/** Resolves with the code of a call of process.exit, after which what called it does not go on. */
function exitCalled(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  process.exit = ((code?: number) => {
    resolve(Number(code ?? process.exitCode ?? 0))
    throw EXITED
  }) as typeof process.exit
  return promise
}

process.on('uncaughtException', (error: unknown) => {
  if (error === EXITED) return
  process.stderr.write = Object.getPrototypeOf(process.stderr).write
  console.error(error)
  process.kill(process.pid, 'SIGKILL')
})

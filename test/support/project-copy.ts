/*
 * A copy of the project in the temporary directory, where a file is changed and tests are run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROJECT } from './docs-blocks.ts'

export type Outcome = 'passed' | 'failed' | 'timeout'

export interface ProjectCopy {
  write(file: string, text: string): void
  /** Runs the tests of one file whose names contain `name`, until the first one fails. */
  runTest(file: string, name: string, limitMs: number): Promise<Outcome>
  /** Ends the processes in it, and deletes it. */
  remove(): void
}

/** What the tests of the code need, so neither data nor builds. */
const COPIED = ['package.json', 'package-lock.json', 'bin', 'examples', 'schemas', 'scripts', 'src', 'test']

/** Packages are shared with the project. */
export function copyProject(): ProjectCopy {
  const root = mkdtempSync(join(tmpdir(), 'laurel-copy-'))
  const copy = join(root, 'project')
  const temporary = join(root, 'tmp')
  for (const part of COPIED) cpSync(join(PROJECT, part), join(copy, part), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'))
  chmodSync(root, 0o711) // The PostgreSQL server of a test may run as another user, with its data in here.
  // In a run that is itself a test, the inner test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  let running: ChildProcess | undefined

  return {
    write: (file, text) => writeFileSync(join(copy, file), text),
    async runTest(file, name, limitMs) {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
      mkdirSync(temporary)
      chmodSync(temporary, 0o711)
      const argv = ['--liftoff-only', '--test-reporter=tap', `--test-name-pattern=${RegExp.escape(name)}`, file]
      const child = spawn(process.execPath, argv, {
        cwd: copy,
        env: { ...env, TMPDIR: temporary, NODE_COMPILE_CACHE: join(root, 'compiled') },
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true, // A process group of its own, so that its child processes end with it.
      })
      running = child
      let cut: Outcome | undefined
      const stop = (reason: Outcome) => {
        cut ??= reason
        endGroup(child)
      }
      const timer = setTimeout(stop, limitMs, 'timeout')
      createInterface(child.stdout).on('line', (line) => {
        if (/^\s*not ok\b/.test(line)) stop('failed')
      })
      child.once('exit', () => endGroup(child))
      const [code] = await once(child, 'close')
      clearTimeout(timer)
      running = undefined
      return cut ?? (code === 0 ? 'passed' : 'failed')
    },
    remove() {
      if (running) endGroup(running)
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // ESRCH: the whole group has ended.
  }
}

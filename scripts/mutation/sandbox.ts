/*
 * A copy of the project in the temporary directory, where one file at a time is made faulty and tests are run.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

const compiler = 'node_modules/typescript/bin/tsc'

export type Outcome = 'passed' | 'failed' | 'timeout'

export interface Sandbox {
  write(file: string, text: string): void
  /** Runs the tests of one file whose names contain `name`, or all of them, until the first one fails. */
  runTest(file: string, limitMs: number, name?: string): Promise<Outcome>
  checkTypes(limitMs: number): Promise<Outcome>
  /** Ends the processes in it, and deletes it. */
  remove(): void
}

/** Copies the files that git tracks or would track, so neither data nor builds. Packages are shared with the project. */
export function createSandbox(project: string): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'laurel-mutation-'))
  const copy = join(root, 'project')
  const temporary = join(root, 'tmp')
  for (const file of listProjectFiles(project)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(project, file), join(copy, file), { verbatimSymlinks: true })
  }
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  chmodSync(root, 0o711) // The PostgreSQL server of a test may run as another user, with its data in here.
  // In a run that is itself a test, the inner test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  let running: ChildProcess | undefined

  async function run(argv: readonly string[], limitMs: number, hasFailed: (line: string) => boolean): Promise<Outcome> {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
    mkdirSync(temporary)
    chmodSync(temporary, 0o711)
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
      if (hasFailed(line)) stop('failed')
    })
    child.once('exit', () => endGroup(child))
    const [code] = await once(child, 'close')
    clearTimeout(timer)
    running = undefined
    return cut ?? (code === 0 ? 'passed' : 'failed')
  }

  return {
    write: (file, text) => writeFileSync(join(copy, file), text),
    runTest: (file, limitMs, name) => {
      const chosen = name === undefined ? [] : [`--test-name-pattern=${RegExp.escape(name)}`]
      return run(['--liftoff-only', '--test-reporter=tap', ...chosen, file], limitMs, (line) =>
        /^\s*not ok\b/.test(line),
      )
    },
    checkTypes: (limitMs) =>
      run([compiler, '--incremental', '--tsBuildInfoFile', join(root, 'types')], limitMs, () => false),
    remove() {
      if (running) endGroup(running)
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The files that git tracks or would track, relative to the project's root. */
export function listProjectFiles(project: string): string[] {
  const names = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: project, encoding: 'utf8' })
  return names.split('\0').filter((name) => name !== '' && existsSync(join(project, name)))
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // ESRCH: the whole group has ended.
  }
}

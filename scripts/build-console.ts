/*
 * Builds the console into console/dist, with each file compressed beside it, unless nothing has changed since it was built. `npm ci` and `npm start`
 * run this. Without Vite, as in an installation without development packages, the present build stays.
 */
import { hash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
/** A higher quality takes ten times as long to save 2 %. */
const BROTLI_QUALITY = 9
const COMPRESSED = /\.(?:css|html|js|svg|txt)$/

export type ConsoleBuild = 'built' | 'unchanged' | 'no-vite'

/** Builds the console of a copy of the project. Errors: those of Vite; the previous build then stays. */
export async function buildConsole(
  project = PROJECT,
  loadVite: () => Promise<typeof import('vite')> = () => import('vite'),
): Promise<ConsoleBuild> {
  const home = join(project, 'console')
  const [dist, noteFile, fresh] = [join(home, 'dist'), join(home, 'dist.digest'), join(home, `dist.${process.pid}`)]
  const digest = digestOfSources(project)
  if (existsSync(join(dist, 'index.html')) && existsSync(noteFile) && readFileSync(noteFile, 'utf8') === digest)
    return 'unchanged'
  const vite = await loadVite().catch(ifNotInstalled)
  if (vite === undefined) return 'no-vite'
  try {
    await vite.build({
      configFile: join(home, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: fresh, emptyOutDir: true },
    })
    compressFiles(fresh)
    // Another process may build the same at the same time: the last one wins.
    rmSync(noteFile, { force: true })
    rmSync(dist, { recursive: true, force: true, maxRetries: 5 })
    renameSync(fresh, dist)
    writeFileSync(noteFile, digest)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return 'built'
}

/** The sources of the console, and where those lie that it shares with the command line. */
const SOURCES = ['console/**/*', 'src/*.ts', 'src/{engine,cli/input,cli/output}/**/*.ts']

/** A digest of everything that the build depends on: the sources, and the versions of packages. */
function digestOfSources(project: string): string {
  const sources = globSync(SOURCES, { cwd: project, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(project, 'console/dist')))
  const files = [...sources, join(project, 'package-lock.json'), join(project, 'scripts/build-console.ts')]
  const each = files.sort().map((path) => `${path.slice(project.length)} ${hash('sha256', readFileSync(path))}\n`)
  return hash('sha256', each.join(''))
}

function compressFiles(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSED.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const plain = readFileSync(path)
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    )
    writeFileSync(`${path}.gz`, gzipSync(plain))
  }
}

function ifNotInstalled(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
}

/** Never makes its caller fail: the service also runs without its console. */
export async function buildConsoleIfPossible(): Promise<void> {
  try {
    await buildConsole()
  } catch (error) {
    console.error(`laurel: the console was not built, the service works without it: ${error}`)
  }
}

if (import.meta.main) await buildConsoleIfPossible()

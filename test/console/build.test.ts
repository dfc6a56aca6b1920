import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { buildConsole } from '../../scripts/build-console.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of the sources of the console. */
function aProject(t: TestContext): string {
  const project = mkdtempSync(join(tmpdir(), 'laurel-console-'))
  t.after(() => rmSync(project, { recursive: true }))
  for (const path of [
    'console/index.html',
    'console/vite.config.ts',
    'console/public',
    'console/src',
    'src/cli/input',
    'src/cli/output',
    'src/engine',
    'src/csv.ts',
    'src/errors.ts',
    'src/json-sums.ts',
    'src/text.ts',
    'src/server/responses.ts',
  ])
    cpSync(join(PROJECT, path), join(project, path), { recursive: true })
  for (const path of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/build-console.ts',
    'console/tsconfig.json',
  ])
    cpSync(join(PROJECT, path), join(project, path))
  symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'))
  return project
}

function filesOf(project: string): Map<string, Buffer> {
  const dist = join(project, 'console/dist')
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map(({ parentPath, name }) => [
      join(parentPath, name).slice(dist.length),
      readFileSync(join(parentPath, name)),
    ]),
  )
}

/** The packages that the pages import, other than for types. */
function packagesOf(directory: string): Set<string> {
  const names = globSync('**/*.{ts,tsx}', { cwd: directory }).flatMap((path) => {
    const code = readFileSync(join(directory, path), 'utf8')
    return [...code.matchAll(/^(?:import|export)(?! type\b)(?:[^']*? from)? '((?:@[\w-]+\/)?[\w-]+)/gm)]
  })
  return new Set(names.map(([, name]) => name!))
}

const withoutVite = () => Promise.reject(Object.assign(new Error('no vite'), { code: 'ERR_MODULE_NOT_FOUND' }))

test('the console is built once, compressed and with the licences of its packages, to the same bytes each time, and again after a source has changed (decision 131)', async (t) => {
  const [project, other] = [aProject(t), aProject(t)]
  assert.deepEqual([await buildConsole(project), await buildConsole(project)], ['built', 'unchanged'])
  const files = filesOf(project)
  for (const [name, plain] of files) {
    if (/\.(br|gz)$/.test(name)) continue
    assert(brotliDecompressSync(files.get(`${name}.br`)!).equals(plain), name)
    assert(gunzipSync(files.get(`${name}.gz`)!).equals(plain), name)
    if (name.endsWith('.html')) assert.doesNotMatch(plain.toString(), /<script>|<style|style="/)
  }
  const notices = files.get('/THIRD-PARTY-NOTICES.txt')!.toString()
  for (const name of packagesOf(join(project, 'console/src')))
    assert.match(notices, new RegExp(`^## ${RegExp.escape(name)} - `, 'm'))
  await buildConsole(other)
  assert.deepEqual(filesOf(other), files)
  for (const path of ['console/src/theme.ts', 'src/cli/input/formula.ts']) {
    writeFileSync(join(project, path), `${readFileSync(join(project, path))}\n// changed\n`)
    assert.equal(await buildConsole(project), 'built', path)
  }
})

test('an existing build stays where Vite is missing or a build fails (decision 131)', async (t) => {
  const project = aProject(t)
  assert.equal(await buildConsole(project, withoutVite), 'no-vite')
  assert.equal(existsSync(join(project, 'console/dist')), false)
  await buildConsole(project)
  const files = filesOf(project)
  writeFileSync(join(project, 'console/src/theme.ts'), 'export const = broken')
  assert.equal(await buildConsole(project, withoutVite), 'no-vite')
  await assert.rejects(buildConsole(project), /theme\.ts/)
  assert.deepEqual(filesOf(project), files)
  assert.deepEqual(
    readdirSync(join(project, 'console')).filter((name) => /^dist\.\d/.test(name)),
    [],
  )
})

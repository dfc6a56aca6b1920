/*
 * `npm run console:measure`: the console's size and speed, compared with its goals. Sizes are of gzip; times are medians.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { CDPSession, Page } from 'playwright-core'
import { buildConsole } from '../build-console.ts'
import { launchBrowser } from './browser.ts'
import { openDemoService } from './demo-service.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } })
const RUNS = Number(values.runs)

type Figure = Readonly<{ name: string; value: number; unit: string; goal: number }>
const figures: Figure[] = []
const note = (name: string, value: number, unit: string, goal: number) => {
  figures.push({ name, value, unit, goal })
  const mark = value <= goal ? 'ok  ' : 'OVER'
  console.log(`${mark}  ${name.padEnd(44)} ${value.toFixed(value < 10 ? 1 : 0).padStart(6)} ${unit}, at most ${goal}`)
}

await measureBuild()
note('what it adds to node_modules', installedMb(), 'MB', 90)
await measurePages()
measureStart()
if (figures.some(({ value, goal }) => value > goal)) process.exitCode = 1

async function measureBuild(): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), 'laurel-measure-'))
  try {
    for (const path of ['console', 'src', 'package.json', 'package-lock.json', 'tsconfig.json', 'scripts'])
      cpSync(join(PROJECT, path), join(project, path), {
        recursive: true,
        filter: (source) => !source.includes(join('console', 'dist')),
      })
    symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'))
    const startedAt = performance.now()
    await buildConsole(project)
    note('build', (performance.now() - startedAt) / 1_000, 's', 5)
  } finally {
    rmSync(project, { recursive: true })
  }
}

/** The size of the packages that only the console and its build need, as named in docs/decisions/0100-dependencies.md. */
function installedMb(): number {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as Lock
  const all = packages['']!
  const isOfConsole = (name: string) =>
    /^(react|react-dom|wouter|vite|d3-\w+|@types\/(react|react-dom|d3-\w+))$|^@(base-ui|tanstack|codemirror|lezer|vitejs)\//.test(
      name,
    )
  const roots = [...Object.keys({ ...all.dependencies, ...all.devDependencies })]
  const rest = reached(
    packages,
    roots.filter((name) => !isOfConsole(name)),
  )
  const added = [...reached(packages, roots.filter(isOfConsole))].filter((path) => !rest.has(path))
  return added.reduce((sum, path) => sum + bytesOf(join(PROJECT, path)), 0) / 1e6
}

type Package = Readonly<{
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}>
type Lock = Readonly<{ packages: Readonly<Record<string, Package>> }>

function reached(packages: Lock['packages'], names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (name: string, from: string): void => {
    const path = pathOf(packages, name, from)
    if (path === undefined || found.has(path)) return
    found.add(path)
    const { dependencies, optionalDependencies, peerDependencies } = packages[path]!
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) visit(one, path)
  }
  for (const name of names) visit(name, '')
  return found
}

/** Where Node finds a package: beside the importer, or further up. */
function pathOf(packages: Lock['packages'], name: string, from: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const path = `${place === '' ? '' : `${place}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (place === '') return undefined
  }
}

function bytesOf(directory: string): number {
  if (!existsSync(directory)) return 0
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.slice(directory.length).includes('/node_modules'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

async function measurePages(): Promise<void> {
  await buildConsole()
  const service = await openDemoService()
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext({ baseURL: service.url, viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await page.goto('/console/')
    await page.getByLabel('Token').fill(service.token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const draft = await page.evaluate(`fetch('/api/admin/drafts', { method: 'POST',
      headers: { 'content-type': 'application/json', 'x-laurel-console': '1' },
      body: JSON.stringify({ data: { name: 'measured', source: 'name: measured' } }) }).then((answer) => answer.json()).then(({ id }) => id)`)
    const first = await loadedKb(page, '/')
    note('first load', first, 'kB', 130)
    const others = [
      '/players',
      '/players/16029',
      '/orders',
      '/predictions',
      '/try',
      '/feeds',
      '/access',
      '/system',
      '/api',
    ]
    const sizes: number[] = []
    for (const path of others) sizes.push((await loadedKb(page, path)) - first)
    note('the heaviest other page adds', Math.max(...sizes), 'kB', 40)
    note('the page of a draft adds', (await loadedKb(page, `/program/drafts/${draft}`)) - first, 'kB', 150)
    const session = await context.newCDPSession(page)
    const fast = await times(page, session, 1)
    note('largest contentful paint', fast.painted, 'ms', 500)
    note('charts drawn', fast.drawn, 'ms', 700)
    const slow = await times(page, session, 4)
    note('largest contentful paint, 4 times slower', slow.painted, 'ms', 1_200)
  } finally {
    await browser.close()
    await service.close()
  }
}

/** Everything below /console that a page loads, compressed with gzip. */
async function loadedKb(page: Page, path: string): Promise<number> {
  const files = new Set<string>()
  const listen = (response: { url: () => string }) => {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/console/assets/')) files.add(pathname.slice('/console/'.length))
  }
  page.on('response', listen)
  await page.goto(`/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  page.off('response', listen)
  const sizes = ['index.html', ...files].map((name) => statSync(join(PROJECT, 'console/dist', `${name}.gz`)).size)
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000
}

async function times(page: Page, session: CDPSession, slowdown: number) {
  const runs: { painted: number; drawn: number }[] = []
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  for (let run = 0; run < RUNS; run += 1) {
    await page.goto('/console/')
    await page.locator('.plot rect.value').first().waitFor()
    runs.push(
      (await page.evaluate(`new Promise((resolve) => {
        const drawn = performance.now()
        new PerformanceObserver((list) => resolve({ painted: list.getEntries().at(-1).startTime, drawn }))
          .observe({ type: 'largest-contentful-paint', buffered: true })
      })`)) as { painted: number; drawn: number },
    )
  }
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  return { painted: median(runs.map(({ painted }) => painted)), drawn: median(runs.map(({ drawn }) => drawn)) }
}

/** How long reading the console's files takes at a start. */
function measureStart(): void {
  const code = `import { readConsoleFiles } from ${JSON.stringify(join(PROJECT, 'src/server/console.ts'))}
    const startedAt = performance.now(); readConsoleFiles(); console.log(performance.now() - startedAt)`
  const runs = Array.from({ length: RUNS }, () =>
    Number(execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', code], { encoding: 'utf8' })),
  )
  note('reading the console at a start', median(runs), 'ms', 20)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!
}

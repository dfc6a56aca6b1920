/*
 * The console in a real Chromium, on a real service with the orders of examples/online-retail. One browser and one service for all browser tests of a process.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { onDaysUntil } from '../../examples/online-retail/demo.ts'
import { openCsv, readInvoices } from '../../examples/online-retail/invoices.ts'
import { toPlayers, toProducts } from '../../examples/online-retail/records.ts'
import { toStates } from '../../examples/online-retail/states.ts'
import { buildConsole } from '../../scripts/build-console.ts'
import { launchBrowser } from '../../scripts/console/browser.ts'
import { testDatabase } from './databases.ts'
import { openEmbeddedApp, openTestApp, openTestAppAt, type TestApp } from './test-app.ts'

export type BrowserTestOptions = Readonly<{
  /** The scopes of the signed-in token; absent: `admin`. Null: not signed in. */
  scopes?: readonly string[] | null
  /** The time zone of the browser; absent: UTC. */
  timeZone?: string
}>

export type BrowserTest = Readonly<{
  app: TestApp
  page: Page
  context: BrowserContext
  /** Opens a path below /console, and waits for its heading. */
  open: (path: string, heading: string | RegExp) => Promise<void>
  /** Presses Tab until the focused element has this accessible name. */
  tabTo: (name: string | RegExp) => Promise<void>
  /** Invariants of every page in every state: no axe findings, no content security policy violations, no horizontal overflow, no other host. */
  check: () => Promise<void>
  /** The same in light and dark, wide and narrow. Screenshots are written under this name if BROWSER_TEST_PICTURES names a directory. */
  checkLooks: (name?: string) => Promise<void>
}>

const EXTRACT = fileURLToPath(
  new URL('../../examples/online-retail/extract/online-retail-extract.csv', import.meta.url),
)
const CLUB = new URL('../../examples/online-retail/club.yaml', import.meta.url)
const DAY_MS = 86_400_000
const PREDICTED = 20
/** How long after an order the service compares it with its predictions. */
const COMPARED_AFTER_MS = 10_000
/** Long enough for a busy machine; a page that never appears still fails. */
const PATIENCE_MS = Number(process.env.BROWSER_TEST_PATIENCE_MS ?? 10 * 60_000)
const WIDTH = 1280
const NARROW = 360
const HEIGHT = 900
const PICTURES = process.env.BROWSER_TEST_PICTURES
const TABS_MAX = 150
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/* Code that runs in the page is text: tests do not have the types of the DOM. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample, sourceFile, lineNumber, columnNumber }) =>
  reportViolation([violatedDirective, blockedURI, sample, sourceFile, lineNumber, columnNumber].join(' ')))`
const NAME_OF_FOCUSED = `(() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  const name = element?.getAttribute('aria-label') ?? (element?.labels?.[0] ?? element)?.textContent ?? ''
  return name.replace(/\\s+/g, ' ').trim()
})()`
const HAS_AXE = `typeof axe === 'object'`
const FINDINGS = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 300) + ' ' + failureSummary).join('; ')))`
const OVERFLOW_PX = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const LOOKS = [
  { scheme: 'dark', width: WIDTH, isWhole: false },
  { scheme: 'dark', width: NARROW, isWhole: true },
  { scheme: 'light', width: NARROW, isWhole: false },
  { scheme: 'light', width: WIDTH, isWhole: true },
] as const

const closers: (() => unknown)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
})
const once = <Value>(make: () => Promise<Value>) => {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const openBrowser = once(async (): Promise<Browser> => {
  const browser = await launchBrowser({ isShortLived: true })
  closers.push(() => browser.close())
  return browser
})

/** From these sources. */
const builtConsole = once(() => buildConsole())

/** A service with the orders of the example. */
const retailService = once(async (): Promise<TestApp> => {
  await builtConsole()
  const whenAllHaveEnded = { after: (close: () => void) => closers.push(close) } as unknown as TestContext
  // Not on the in-memory database, which every `emptyService` empties.
  const clock = { behindMs: COMPARED_AFTER_MS }
  const app = await openTestAppAt(whenAllHaveEnded, await testDatabase(whenAllHaveEnded), {
    now: () => new Date(Date.now() - clock.behindMs),
  })
  await fill(app, clock)
  return app
})

/** The orders of the example on the days up to yesterday, under two programs; some of them were predicted first. */
async function fill(app: TestApp, clock: { behindMs: number }): Promise<void> {
  const good = async (reply: ReturnType<TestApp['ask']>) => assert.equal((await reply).status, 200)
  const invoices = await readInvoices(openCsv(EXTRACT))
  const states = onDaysUntil(new Date(Date.now() - DAY_MS).toISOString().slice(0, 10), toStates(invoices).states)
  const half = Math.floor(states.length / 2)
  const from = `${states[half]!.at.slice(0, 10)}T00:00:00Z`
  await good(app.upsertProducts(toProducts(invoices)))
  await good(app.upsertPlayers(toPlayers(invoices)))
  await good(app.ask('POST', '/api/admin/programs', { body: { data: { source: readFileSync(CLUB, 'utf8'), from } } }))
  for (const { order } of states.slice(-PREDICTED)) await good(app.predict(order))
  await good(app.record(states.map(({ order }) => order)))
  clock.behindMs = 0
  await app.service.deps.predictions.flush()
  await app.service.deps.activity.flush()
  const { body: predicted } = await app.ask('GET', '/api/admin/statistics/predictions?per=span')
  assert(predicted.lines.length > 0)
  const spent = { id: 'till-1', points: -40, counts: false, reason: 'paid with points' }
  await good(app.ask('POST', '/api/players/16029/adjustments', { body: { data: spent } }))
}

/** A separate service without data, for tests that change something or need an empty one. */
export async function emptyService(t: TestContext, options: Parameters<typeof openTestApp>[1] = {}): Promise<TestApp> {
  await builtConsole()
  return openTestApp(t, options)
}

/** The same, on a database with files, from which it runs jobs. */
export async function jobService(t: TestContext, options: Parameters<typeof openTestApp>[1] = {}): Promise<TestApp> {
  await builtConsole()
  return openEmbeddedApp(t, options)
}

export async function startBrowserTest(
  t: TestContext,
  { scopes = ['admin'], timeZone = 'UTC' }: BrowserTestOptions = {},
  service?: TestApp,
): Promise<BrowserTest> {
  const app = service ?? (await retailService())
  const browser = await openBrowser()
  const context = await browser.newContext({
    baseURL: app.url,
    viewport: { width: WIDTH, height: HEIGHT },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: timeZone,
  })
  t.after(() => context.close())
  context.setDefaultTimeout(PATIENCE_MS)
  const faults: string[] = []
  await context.exposeFunction('reportViolation', (text: string) => faults.push(`policy violation: ${text}`))
  await context.addInitScript(REPORT_VIOLATIONS)
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(app.url) && !/^(?:blob|data|about):/.test(url)) faults.push(`a request to ${url}`)
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`uncaught: ${error}`))
  if (scopes !== null) await signIn(app, context, scopes)

  const open: BrowserTest['open'] = async (path, heading) => {
    await page.goto(`/console${path}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  const tabTo: BrowserTest['tabTo'] = async (name) => {
    const seen: string[] = []
    for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
      await page.keyboard.press('Tab')
      const focused = String(await page.evaluate(NAME_OF_FOCUSED))
      seen.push(focused)
      if (typeof name === 'string' ? focused === name : name.test(focused)) return
    }
    assert.fail(`Tab never reached ${name}, but: ${[...new Set(seen)].join(' | ')}`)
  }
  const check: BrowserTest['check'] = async () => {
    if (!(await page.evaluate(HAS_AXE))) await page.evaluate(AXE)
    assert.deepEqual(await page.evaluate(FINDINGS), [], `axe at ${page.url()}`)
    await assertNoOverflow(page)
    assert.deepEqual(faults, [], `at ${page.url()}`)
  }
  const checkLooks: BrowserTest['checkLooks'] = async (name) => {
    for (const look of LOOKS) {
      await page.emulateMedia({ colorScheme: look.scheme })
      await page.setViewportSize({ width: look.width, height: HEIGHT })
      // Two of the looks cover both colours and both widths.
      if (look.isWhole) await check()
      else await assertNoOverflow(page)
      if (PICTURES !== undefined && name !== undefined)
        await page.screenshot({ path: join(PICTURES, `${name}-${look.scheme}-${look.width}.png`), fullPage: true })
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: WIDTH, height: HEIGHT })
  }
  return { app, page, context, open, tabTo, check, checkLooks }
}

/** Gives the browser a session with a token of these scopes. That the page signs people in is tested by test/console/shell.test.ts. */
async function signIn(app: TestApp, context: BrowserContext, scopes: readonly string[]): Promise<void> {
  const made = await app.ask('POST', '/api/admin/tokens', {
    body: { data: { name: `walker: ${scopes.join(', ')}`, scopes } },
  })
  const signedIn = await context.request.post('/api/console/session', {
    headers: { 'x-laurel-console': '1', origin: app.url },
    data: { data: { token: made.body.token } },
  })
  assert.equal(signedIn.status(), 200, await signedIn.text())
}

async function assertNoOverflow(page: Page): Promise<void> {
  const { width } = page.viewportSize()!
  const overflow = await page.evaluate(OVERFLOW_PX)
  assert.equal(overflow, 0, `the page overflows at ${page.url()}, ${width} pixels wide`)
}

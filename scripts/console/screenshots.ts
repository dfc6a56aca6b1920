/*
 * `npm run screenshots [-- DIR]`: the pages of the console with the orders of the demonstration, as the README and docs/console.md show them, light
 * and dark. With a directory, every page goes there instead, light and dark, wide and narrow, for review.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { openDemoService } from './demo-service.ts'

const PICTURES = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
const SETTLED_MS = 800

type Shot = Readonly<{ name: string; path: string; scheme?: 'light' | 'dark'; height?: number }>

/** What the documents show. */
const SHOWN: readonly Shot[] = [
  { name: 'console-overview', path: '/', height: 860 },
  { name: 'console-program', path: '/program/drafts/DRAFT', scheme: 'dark', height: 800 },
  { name: 'console-player', path: '/players/16029', height: 720 },
  { name: 'console-try', path: '/try?order=564327&under=1', height: 900 },
  { name: 'console-predictions', path: '/predictions?show=differed', height: 720 },
  { name: 'console-system', path: '/system', height: 720 },
]

/** Everything, for review. */
const ALL = [
  ['overview', '/'],
  ['predictions', '/predictions'],
  ['feeds', '/feeds'],
  ['players', '/players'],
  ['player', '/players/16029'],
  ['orders', '/orders'],
  ['order', '/orders/536387'],
  ['products', '/products'],
  ['program', '/program'],
  ['draft', '/program/drafts/DRAFT'],
  ['diff', '/program/drafts/DRAFT?tab=diff'],
  ['try', '/try?order=564327&under=1'],
  ['access', '/access'],
  ['acts', '/access?tab=acts'],
  ['system', '/system'],
  ['api', '/api'],
  ['operation', '/api/simulateOrder'],
] as const

const [directory] = process.argv.slice(2)
const service = await openDemoService()
const browser = await launchBrowser()
try {
  const draft = await beginDraft()
  if (directory === undefined) {
    for (const { name, path, scheme = 'light', height = 800 } of SHOWN)
      await take(`${PICTURES}${name}.png`, path.replace('DRAFT', draft), { scheme, width: 1280, height })
  } else {
    mkdirSync(directory, { recursive: true })
    for (const [name, path] of ALL)
      for (const scheme of ['light', 'dark'] as const)
        for (const width of [1280, 360])
          await take(join(directory, `${name}-${scheme}-${width}.png`), path.replace('DRAFT', draft), { scheme, width })
  }
} finally {
  await browser.close()
  await service.close()
}

/** A draft with a fault in it, so that the editor shows one. */
async function beginDraft(): Promise<string> {
  const ask = async (path: string, data?: object) => {
    const response = await fetch(`${service.url}/api/admin/${path}`, {
      method: data === undefined ? 'GET' : 'POST',
      headers: { token: service.token, 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    })
    return response.json() as Promise<{ id: string; source: string }>
  }
  const { source } = await ask('programs/current')
  const edited = source.replace('every: 12,', 'evry: 11,').replace('points: 10 }', 'points: 15 }')
  return (await ask('drafts', { name: 'Club, more for baskets', source: edited, based_on: 2 })).id
}

async function take(
  file: string,
  path: string,
  { scheme, width, height }: { scheme: 'light' | 'dark'; width: number; height?: number },
): Promise<void> {
  const context = await browser.newContext({
    baseURL: service.url,
    viewport: { width, height: height ?? 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  await signIn(page)
  await page.goto(`/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(SETTLED_MS)
  await page.screenshot({ path: file, fullPage: height === undefined })
  await context.close()
  console.log(file)
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/console/')
  await page.getByLabel('Token').fill(service.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
}

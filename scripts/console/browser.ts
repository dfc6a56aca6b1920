/*
 * A Chromium from the npm registry, for screenshots and measurements.
 */
import { existsSync } from 'node:fs'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** Not the package's own arguments, which are for cloud functions: a single process, and no web security. */
const ARGUMENTS = ['--headless=shell', '--no-sandbox', '--disable-gpu']
/** For pages that live for seconds: the optimizing compilers would take more than they give. */
const SHORT_LIVED = ['--js-flags=--no-opt --no-maglev']
/** The fonts of the package, as those of machines differ. */
const FONTS = '/tmp/fonts'

export async function launchBrowser({ isShortLived = false } = {}): Promise<Browser> {
  const executablePath = await chromium.executablePath()
  const env = { ...(process.env as Record<string, string>), ...(existsSync(FONTS) ? { FONTCONFIG_PATH: FONTS } : {}) }
  const args = isShortLived ? [...ARGUMENTS, ...SHORT_LIVED] : ARGUMENTS
  return playwright.launch({ executablePath, args, headless: true, env })
}

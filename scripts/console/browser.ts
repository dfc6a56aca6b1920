/*
 * A Chromium from the npm registry, for what is looked at and measured.
 */
import { existsSync } from 'node:fs'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** Not those of the package, which are for functions in a cloud: one process for everything, and no web security. */
const ARGUMENTS = ['--headless=shell', '--no-sandbox', '--disable-gpu']
/** Fonts of the package: those of the machine differ. */
const FONTS = '/tmp/fonts'

export async function launchBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath()
  const env = { ...(process.env as Record<string, string>), ...(existsSync(FONTS) ? { FONTCONFIG_PATH: FONTS } : {}) }
  return playwright.launch({ executablePath, args: ARGUMENTS, headless: true, env })
}

/*
 * Screenshots of a backtest's page, taken by a browser on this machine: `chromium`, or what CHROMIUM names.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const WIDTH = 820

/** Takes the top of the page, and the page from its levels on with the first player opened. */
export function takeScreenshots(page: string, files: Readonly<{ months: string; levels: string }>): void {
  const [beforeHeading = ''] = page.split('<h1>')
  const fromLevels = page.slice(page.indexOf('<h2>Players by level'))
  take(page, 1000, files.months)
  take(`${beforeHeading}${fromLevels.replace('<details>', '<details open>')}`, 1140, files.levels)
}

function take(html: string, height: number, file: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-screenshot-'))
  try {
    const path = join(directory, 'page.html')
    writeFileSync(path, html)
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', `--user-data-dir=${directory}`]
    const browser = process.env.CHROMIUM ?? 'chromium'
    const size = `--window-size=${WIDTH},${height}`
    execFileSync(browser, [...options, size, `--screenshot=${file}`, pathToFileURL(path).href], { stdio: 'ignore' })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/*
 * Screenshots of a backtest's page.
 */
import { launchBrowser } from '../console/browser.ts'

const WIDTH = 820

/** Takes the top of the page, and the page from its levels on with the first player opened. */
export async function takeScreenshots(
  page: string,
  files: Readonly<{ months: string; levels: string }>,
): Promise<void> {
  const [beforeHeading = ''] = page.split('<h1>')
  const fromLevels = page.slice(page.indexOf('<h2>Players by level'))
  const browser = await launchBrowser()
  const take = async (html: string, height: number, file: string) => {
    const tab = await browser.newPage({ viewport: { width: WIDTH, height } })
    await tab.setContent(html)
    await tab.screenshot({ path: file })
  }
  try {
    await take(page, 1000, files.months)
    await take(`${beforeHeading}${fromLevels.replace('<details>', '<details open>')}`, 1140, files.levels)
  } finally {
    await browser.close()
  }
}

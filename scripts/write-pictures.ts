/*
 * `npm run pictures`: redraws docs/pictures/*.svg; tests fail if they differ from what the code draws.
 * `npm run pictures -- --screenshots` also takes the PNG screenshots, which needs Chromium.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { backtestPicture } from './pictures/backtest.ts'
import { checkoutPicture, ravisCheckouts } from './pictures/checkout.ts'
import { backtestClub } from './pictures/club.ts'
import { orderThroughRules, ravisOrder } from './pictures/order-through-rules.ts'
import { takeScreenshots } from './pictures/screenshots.ts'
import { whereLaurelSits } from './pictures/where-laurel-sits.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../docs/pictures/${name}`, import.meta.url))

const { document, page } = await backtestClub()
writeFileSync(fileOf('where-laurel-sits.svg'), whereLaurelSits())
writeFileSync(fileOf('order-through-rules.svg'), orderThroughRules(ravisOrder()))
writeFileSync(fileOf('checkout.svg'), checkoutPicture(ravisCheckouts()))
writeFileSync(fileOf('backtest.svg'), backtestPicture(document))
if (process.argv.includes('--screenshots'))
  takeScreenshots(page, { months: fileOf('what-if-months.png'), levels: fileOf('what-if-levels.png') })

/*
 * `npm run pictures`: redraws docs/pictures/*.svg; tests fail if they differ from what the code draws.
 * `npm run pictures -- --screenshots` also takes the PNG screenshots.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkoutPicture, ravisCheckouts } from './pictures/checkout.ts'
import { backtestClub } from './pictures/club.ts'
import { orderThroughRules, ravisOrder } from './pictures/order-through-rules.ts'
import { takeScreenshots } from './pictures/screenshots.ts'
import { whereLaurelSits } from './pictures/where-laurel-sits.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../docs/pictures/${name}`, import.meta.url))

writeFileSync(fileOf('where-laurel-sits.svg'), whereLaurelSits())
writeFileSync(fileOf('order-through-rules.svg'), orderThroughRules(ravisOrder()))
writeFileSync(fileOf('checkout.svg'), checkoutPicture(ravisCheckouts()))
if (process.argv.includes('--screenshots'))
  await takeScreenshots(await backtestClub(), {
    months: fileOf('what-if-months.png'),
    levels: fileOf('what-if-levels.png'),
  })

/*
 * The files and settings that `laurel init` makes from a shop's answers.
 */
import { ROUNDINGS } from '../../engine/points/rounding.ts'
import type { ShopAnswers } from '../input/shop-answers.ts'

/** A program that does what was answered, with comments for whoever changes it next. */
export function programTextOf(
  { currency, decimals, timeZone, points, every, levels }: ShopAnswers,
  files: ShopFiles,
): string {
  const ladder = levels.map(({ name, from }) => `    - { name: ${JSON.stringify(name)}, from: ${from} }\n`)
  return `# The points program of your shop. After a change:
#   npx --no laurel program check ${files.program} --cases ${files.cases}
#   npx --no laurel program probe ${files.program}
#   npx --no laurel program publish ${files.program}
# docs/cookbook.md has rules for common wishes, docs/program-reference.md all that a program can do.
name: Points
${`time-zone: ${timeZone}`.padEnd(34)} # where its days begin
rounding: floor                    # once, to the sum of an order: ${ROUNDINGS.join(', ')}

money: { decimals: ${decimals}, currency: ${currency} }

levels:
  counts: lifetime                 # all points ever earned
  ladder:
${ladder.join('')}
earn:
  - name: base
    per-amount: { points: ${points}, every: ${every}, of: net }     # of what is paid after the discount

# If orders are sent before they are paid, let their points wait for the payment (fulfilled_at):
# points: { pending: { days: 0, after: fulfilled } }
`
}

/** Test orders for that program, with expectations worked out from the responses alone. */
export function casesTextOf({ points, every, levels }: ShopAnswers): string {
  const [first, second] = levels
  const reached = second && levels.findLast(({ from }) => from <= second.from - 1 + points)
  const risen =
    reached === undefined
      ? ''
      : `
  - name: the level rises with the points
    orders:
      - { player: tom, total_amount: ${every}, expect: { level: ${JSON.stringify(reached.name)} } }
`
  return `# Test orders, and what they must earn after any change of the program.
players:
  mira:
${second === undefined ? '' : `  tom: { points: ${second.from - 1} }\n`}
cases:
  - name: ten times ${every} earn ten times ${points}
    orders:
      - { player: mira, total_amount: ${every * 10}, expect: { points: ${points * 10} } }

  - name: what a discount takes off earns nothing
    orders:
      - { player: mira, total_amount: ${every * 10}, discount: ${every * 10}, expect: { points: 0, level: ${JSON.stringify(first!.name)} } }
${risen}`
}

/** Where the files are written. */
export type ShopFiles = Readonly<{ program: string; cases: string }>

/** The settings of the shop by key: the defaults, made for India, if all customers are from there; else more lenient ones. */
export function settingsOf({ currency, countries }: ShopAnswers): Readonly<Record<string, string>> {
  const isIndian = countries.every((name) => /^(?:in|india|bharat)$/i.test(name))
  if (isIndian) return { 'money.currency': currency }
  return {
    'money.currency': currency,
    'players.required': 'Name,Country',
    'players.genders': 'female,male,diverse',
    'players.pincode': 'text',
    'players.phone': 'lenient',
    'players.dates': 'DD-MM-YYYY,YYYY-MM-DD',
  }
}

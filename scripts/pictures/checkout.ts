import { readFileSync } from 'node:fs'
import { readCasesText } from '../../src/engine/ingest/cases/read-cases.ts'
import { readProgramText } from '../../src/engine/ingest/program-text.ts'
import { type CaseStepResult, tryCases } from '../../src/engine/whatif/cases.ts'
import type { BalanceSummary } from '../../src/engine/whatif/replay.ts'
import { arrow, box, grouped, picture, text } from './svg.ts'

const TITLE =
  'A checkout that redeems points, as a sequence: in the state of an order, by a hold around a payment, and from a till that was offline'

/** What a till or shop does by itself, or asks of Laurel; `after` is the player's balance afterwards. */
export type CheckoutStep = Readonly<
  { after?: BalanceSummary | undefined } & ({ does: string } | { asks: string; response: string })
>
export type Checkout = Readonly<{ name: string; before: BalanceSummary; steps: readonly CheckoutStep[] }>

const WIDTH = 860
const SHOP_AT = 150
const LAUREL_AT = 590
const SUMMARY_AT = 624
const ROW = 44

/** The ways to redeem at a checkout, one below the other: who asks what, and the player's balance after each step. */
export function checkoutPicture(checkouts: readonly Checkout[]): string {
  const content: string[] = []
  let y = 20
  for (const checkout of checkouts) {
    content.push(...panelAt(checkout, y))
    y += heightOf(checkout) + 16
  }
  return picture(WIDTH, y + 4, TITLE, content)
}

function heightOf({ steps }: Checkout): number {
  return 102 + steps.length * ROW
}

function panelAt({ name, before, steps }: Checkout, y: number): string[] {
  const height = heightOf({ name, before, steps })
  return [
    text(36, y + 24, name, 'head'),
    box(SHOP_AT - 100, y + 40, 200, 34, 'blue-soft', 'blue-edge'),
    text(SHOP_AT, y + 62, 'till or shop', 'name middle'),
    box(LAUREL_AT - 60, y + 40, 120, 34, 'green-soft', 'green-edge'),
    text(LAUREL_AT, y + 62, 'Laurel', 'name middle'),
    text(LAUREL_AT + 74, y + 62, summaryText(before), 'small'),
    `<path d="M${SHOP_AT} ${y + 74} V${y + height - 8} M${LAUREL_AT} ${y + 74} V${y + height - 8}" class="stroke-line"/>`,
    ...steps.flatMap((step, index) => stepAt(step, y + 112 + index * ROW)),
  ]
}

function stepAt(step: CheckoutStep, y: number): string[] {
  const after = step.after === undefined ? [] : [text(SUMMARY_AT, y, summaryText(step.after), 'small')]
  if ('does' in step)
    return [
      box(SHOP_AT - 114, y - 21, 228, 28, 'paper', 'blue-edge'),
      text(SHOP_AT, y - 2, step.does, 'small middle'),
      ...after,
    ]
  return [
    text(SHOP_AT + 14, y - 10, step.asks, 'small'),
    arrow(SHOP_AT, LAUREL_AT - 4, y - 4, 'blue'),
    text(LAUREL_AT - 14, y + 11, step.response, 'small name end'),
    ...after,
  ]
}

/** `540 to spend, 250 pending`. */
function summaryText({ available, held, pending }: BalanceSummary): string {
  const free = available - held
  const spendable = free < 0n ? ([-free, 'owed'] as const) : ([free, 'to spend'] as const)
  return [spendable, [held, 'held'] as const, [pending, 'pending'] as const]
    .filter((part) => part === spendable || part[0] > 0n)
    .map(([points, what]) => `${grouped(points)} ${what}`)
    .join(', ')
}

const ORDER = '{ player: ravi, total_amount: "30.00", points_redeemed: 500, expect: { points: 250, available: 40 } }'
const WITH_HOLD = ORDER.replace('expect:', 'redemption_id: till-1, expect:')
const HOLD = '{ player: ravi, redeem: till-1, points: 500, hold: true, expect: { available: 540, held: 500 } }'
const CONFIRM = '{ confirm: till-1, expect: { available: 40, held: 0 } }'
const VOID = '{ void: till-1, expect: { available: 540, held: 0 } }'
const SECOND = '{ player: ravi, order_id: second, total_amount: "30.00", points_redeemed: 200, expect: '
const REFUSED = `${SECOND}{ refused: not-enough, available: 40 } }`
const BELOW = `${SECOND}{ points: 280, available: -160 } }`

/** Each way, replayed under examples/programs/wallet.yaml, where Ravi begins with 540 points. */
export function ravisCheckouts(): Checkout[] {
  const before: BalanceSummary = { balance: 540n, available: 540n, pending: 0n, held: 0n }
  const [now, refused] = replayed([ORDER, REFUSED])
  const [, below] = replayed([ORDER, BELOW], 200)
  const [held, used] = replayed([HOLD, WITH_HOLD])
  const [, confirmed] = replayed([HOLD, CONFIRM])
  const [, voided] = replayed([HOLD, VOID])
  return [
    {
      name: 'In the order’s state',
      before,
      steps: [
        { asks: 'predict the order, points_redeemed: 500', response: '500 points pay 5.00; the rest earns 250' },
        { does: 'takes 25.00 in money' },
        { asks: 'record the order, points_redeemed: 500', response: 'recorded', after: now },
      ],
    },
    {
      name: 'By a hold, around a payment',
      before,
      steps: [
        { asks: 'hold 500 points as till-1', response: 'held for 15 minutes', after: held },
        { does: 'asks a gateway for 25.00' },
        { asks: 'paid: record the order, redemption_id: till-1', response: 'recorded', after: used },
        { asks: 'or paid, without an order: confirm till-1', response: 'spent', after: confirmed },
        { asks: 'or not paid: void till-1, or let it lapse', response: 'free again', after: voided },
      ],
    },
    {
      name: 'Tills that were offline, and send their orders later',
      before,
      steps: [
        { does: 'one sells, for 500 points' },
        { does: 'another one, for 200' },
        { asks: 'the first order, once online', response: 'recorded', after: now },
        { asks: 'the second one', response: 'skipped: not enough points', after: refused },
        { asks: 'or the same, with overdraft: 200', response: 'recorded, and owed', after: below },
      ],
    },
  ]
}

/** Ravi's balance after each step of a case; `overdraft` is written into the program. */
function replayed(steps: readonly string[], overdraft = 0): CaseStepResult[] {
  const textOf = (name: string) => readFileSync(new URL(`../../examples/programs/${name}`, import.meta.url), 'utf8')
  const read = readProgramText(textOf('wallet.yaml').replace('\nredeem:\n', `\nredeem:\n  overdraft: ${overdraft}\n`))
  if (!('program' in read)) throw new Error('examples/programs/wallet.yaml has errors')
  const [world] = textOf('wallet.cases.yaml').split('\ncases:\n')
  const list = steps.map((step) => `      - ${step}\n`).join('')
  const readCases = readCasesText(`${world}\ncases:\n  - name: a checkout\n    orders:\n${list}`, read.program)
  if (!('cases' in readCases)) throw new Error('the checkouts of the picture have errors')
  const [result] = tryCases(read.program, readCases.cases)
  if (result?.isAsExpected !== true) throw new Error('a checkout of the picture came out differently')
  return [...result.steps]
}

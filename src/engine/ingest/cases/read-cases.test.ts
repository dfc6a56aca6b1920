import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestCase } from '../../whatif/cases.ts'
import { readCasesText } from './read-cases.ts'

function issuesOf(text: string, decimals = 0): string[] {
  const read = readCasesText(text, { money: { decimals } })
  return 'issues' in read ? read.issues.map(({ path, line, error }) => `${line} ${path}: ${error}`) : []
}

function casesIn(text: string) {
  const read = readCasesText(text, { money: { decimals: 0 } })
  assert('cases' in read, 'issues' in read ? JSON.stringify(read.issues) : '')
  return read.cases
}

const ordersOf = ({ steps }: TestCase) => steps.flatMap((step) => ('order' in step ? [step.order] : []))

test('what a case is not about may be left out: its order is then by the default player, empty, at the first moment', () => {
  const { cases, players, startsAt } = casesIn('cases: [{ name: A, orders: [{ expect: { points: 0 } }] }]')
  assert.equal(startsAt, '2026-01-01T00:00:00.000Z')
  assert.deepEqual(
    players.map(({ userId, points, referralCode }) => [userId, points, referralCode]),
    [['somebody', 0n, '']],
  )
  assert.deepEqual(ordersOf(cases[0]!)[0], {
    id: 'order-1',
    userId: 'somebody',
    lines: [],
    total: 0n,
    discount: 0n,
    referralCode: '',
    subscriptPoints: false,
    status: 'placed',
  })
})

test('an order that is sent again in its case is as before, except for what is written', () => {
  const { cases, catalogue } = casesIn(`
amount_decimals: 2
products: { TEA-1: "45.00", "B.2": 2 }
players: { asha: { state: Kerala, date_of_birth: 29-02-1992 }, 007: }
cases:
  - name: A
    orders:
      - { player: asha, total_amount: 12.50, products: [{ product_sku_id: TEA-1, qty: 2 }], ordered_at: 2027-01-01T01:00:00+01:00 }
      - { order_id: order-1, status: cancelled, expect: { points: 0 } }
      - { user_id: "007", total_amount: 1, expect: { earned: { base: 20/6, other: 0.5 } } }
  - name: B
    orders:
      - { order_id: order-1, expect: { points: 0 } }
`)
  const [first, again, other] = ordersOf(cases[0]!)
  assert.deepEqual(again, { ...first, status: 'cancelled' })
  assert.deepEqual([first!.userId, first!.total, first!.at], ['asha', 125_000n, '2027-01-01T00:00:00.000Z'])
  assert.deepEqual([other!.userId, other!.id, other!.total], ['007', 'order-3', 10_000n])
  assert.deepEqual(
    [...cases[0]!.steps[2]!.expected!.earned],
    [
      ['base', { num: 10n, den: 3n }],
      ['other', { num: 1n, den: 2n }],
    ],
  )
  assert.equal(ordersOf(cases[1]!)[0]!.userId, 'somebody', 'another case knows nothing of it')
  assert.deepEqual(
    [...catalogue],
    [
      ['TEA-1', 450_000n],
      ['B.2', 20_000n],
    ],
  )
})

test('all errors are reported at once, with path and line, in the order of the file', () => {
  assert.deepEqual(
    issuesOf(`products:
  TEA-1: 4.12345
  B.2: -1
players:
  asha: { gender: Female, stat: Kerala }
  a.b:
    date_of_birth: 1990-01-31
cases:
  - name: A
    orders:
      - total_amount: 12.50
        refferal_code: ASHA
        products:
          - { product_sku_id: TEA-1, qty: two }
          - { sku: TEA-1, amount: 1 }
        expect: { point: 5, level: 1 }
      - { player: bob, user_id: asha, expect: {} }
      - { player: bob, expect: { earned: { base: some }, not_applied: [[]] } }
      - 5
  - { name: B, orders: [{ total_amount: 5 }] }
  - { name: C, orders: [] }
`),
    [
      '2 products.TEA-1: expected a non-negative number with at most 15 digits and 4 decimal places, got 4.12345',
      '3 products.B.2: expected a non-negative number with at most 4 decimal places, got -1',
      '5 players.asha.stat: unknown field, did you mean state?',
      '7 players.a.b.date_of_birth: expected a date DD-MM-YYYY, got "1990-01-31"',
      "11 cases[0].orders[0].total_amount: expected no more decimal places than the program's money.decimals, got 12.5: publish a program with money: { decimals: 2 }",
      '12 cases[0].orders[0].refferal_code: unknown field, did you mean refferral_code?',
      '14 cases[0].orders[0].products[0].qty: expected a non-negative number with at most 15 digits and 4 decimal places, got "two"',
      '15 cases[0].orders[0].products[1].sku: unknown field: known are product_sku_id, amount, qty, refunded, attributes',
      '16 cases[0].orders[0].expect.point: unknown field, did you mean points?',
      '16 cases[0].orders[0].expect.level: expected a non-empty string, got 1',
      '17 cases[0].orders[1].player: player and user_id cannot be combined',
      '17 cases[0].orders[1].player: expected a player of this file, got "bob"',
      '17 cases[0].orders[1].expect: expected at least one of points, level, message, balance, available, pending, held, refused, earned, not_applied',
      '18 cases[0].orders[2].player: expected a player of this file, got "bob"',
      '18 cases[0].orders[2].expect.earned.base: expected exact points like 12, "123.4" or "10/3", got "some"',
      '18 cases[0].orders[2].expect.not_applied[0]: expected a non-empty string, got an array',
      '19 cases[0].orders[3]: expected an order or a redemption, got 5',
      '20 cases[1]: expected at least one step with `expect`: this case cannot fail',
      '21 cases[2].orders: expected a non-empty array of orders, got an array',
    ],
  )
})

test('amounts may have as many decimals as the program allows, or an older file itself (decision 69)', () => {
  const file = (head: string) =>
    `${head}cases: [{ name: A, orders: [{ total_amount: "12.50", expect: { points: 1 } }] }]`
  const issue = /^1 cases\[0\]\.orders\[0\]\.total_amount: expected no more decimal places .* got 12\.50: /
  assert.deepEqual(issuesOf(file(''), 2), [])
  assert.deepEqual(issuesOf(file('amount_decimals: 2\n'), 0), [])
  assert.deepEqual(issuesOf(file('amount_decimals: 0\n'), 2), [])
  assert.match(issuesOf(file(''), 1)[0]!, issue)
  assert.match(issuesOf(file(''), 0)[0]!, issue)
})

test('a file without cases, with two cases of the same name, or that is not YAML is a fault', () => {
  assert.deepEqual(issuesOf(''), ['undefined : expected an object, got null'])
  assert.deepEqual(issuesOf('amount_decimals: 5\ncases: []\nnotes: x\n'), [
    '1 amount_decimals: expected an integer between 0 and 4, got 5',
    '2 cases: expected a non-empty array of cases, got an array',
    '3 notes: unknown field: known are starts_at, amount_decimals, products, players, cases',
  ])
  const one = '{ name: A, orders: [{ expect: { points: 0 } }] }'
  assert.deepEqual(issuesOf(`cases:\n  - ${one}\n  - ${one}\n`), ['3 cases[1].name: duplicate name A'])
  assert.match(issuesOf('cases: [\n')[0]!, /^\d+ : /)
})

test('points are held, spent, confirmed and voided alongside orders, each by the player who began it', () => {
  const { cases } = casesIn(`
players: { asha: }
cases:
  - name: A
    orders:
      - { player: asha, redeem: cup, reward: free-cup, expect: { held: 0 } }
      - { player: asha, redeem: till, points: 500, hold: true, order_id: o-1, reason: checkout }
      - { confirm: till, points: 300, wait: PT2H, expect: { refused: more-than-held, available: 40 } }
      - { void: till, wait: P1Y }
      - { order_id: o-1, points_redeemed: 5, redemption_id: till, expect: { refused: hold } }
`)
  const [cup, hold, confirm, voiding, order] = cases[0]!.steps
  const asha = { userId: 'asha' }
  assert.deepEqual(
    { ...cup, expected: cup!.expected!.held },
    {
      ...asha,
      redeem: { act: 'redeem', id: 'cup', reward: 'free-cup', hold: false, reason: 'a test' },
      expected: 0n,
    },
  )
  assert.deepEqual(hold, {
    ...asha,
    redeem: { act: 'redeem', id: 'till', points: 500n, hold: true, orderId: 'o-1', reason: 'checkout' },
  })
  const { expected, ...confirmed } = confirm!
  assert.deepEqual(confirmed, { ...asha, redeem: { act: 'confirm', id: 'till', points: 300n }, wait: { minutes: 120 } })
  assert.deepEqual([expected?.refused, expected?.available], ['more-than-held', 40n])
  assert.deepEqual(voiding, { ...asha, redeem: { act: 'void', id: 'till', reason: 'a test' }, wait: { months: 12 } })
  assert.deepEqual([order!.expected!.refused, ordersOf(cases[0]!)[0]!.redemptionId], ['hold', 'till'])
})

test('errors of redemptions are reported like those of orders', () => {
  assert.deepEqual(
    issuesOf(`players: { asha: }
cases:
  - name: A
    orders:
      - { redeem: cup }
      - { redeem: cup, points: -5, reward: cup }
      - { redeem: cup, points: 5, amount: 5 }
      - { confirm: cup, hold: true, expect: { points: 5 } }
      - { player: bob, void: cup, wait: PT0M, expect: {} }
      - { expect: { refused: least, points: 0 } }
`),
    [
      '5 cases[0].orders[0]: expected exactly one of points and reward',
      '6 cases[0].orders[1].points: expected an integer between 0 and 9007199254740991, got -5',
      '7 cases[0].orders[2].amount: unknown field: known are redeem, points, reward, hold, order_id, reason',
      '8 cases[0].orders[3].hold: unknown field: known are confirm, points',
      '8 cases[0].orders[3].expect.points: unknown field: known are balance, available, pending, held, refused',
      '9 cases[0].orders[4].player: expected a player of this file, got "bob"',
      '9 cases[0].orders[4].wait: expected a duration like PT20M, P14D, P12M or P1Y, got "PT0M"',
      '9 cases[0].orders[4].expect: expected at least one of balance, available, pending, held, refused',
      '10 cases[0].orders[5].expect: expected refused alone or with balance, available, pending, held',
    ],
  )
})

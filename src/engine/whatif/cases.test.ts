import assert from 'node:assert/strict'
import test from 'node:test'
import { parseRatio } from '../points/arithmetic.ts'
import type { SentOrder } from '../points/model.ts'
import { readProgram } from '../points/program.ts'
import type { Program } from '../points/program-model.ts'
import { type Cases, type Expected, listUntried, type TestStep, tryCases } from './cases.ts'
import type { TestPlayer } from './replay.ts'

function aProgram(parts: object = {}): Program {
  const read = readProgram({
    name: 'Test',
    rounding: 'floor',
    levels: {
      counts: 'lifetime',
      ladder: [
        { name: 'Bronze', from: 0 },
        { name: 'Silver', from: 100 },
      ],
    },
    earn: [
      { name: 'base', 'per-amount': { points: 1, every: 10 } },
      { name: 'big', when: 'order.net >= 1000.0', fixed: { points: 50 } },
    ],
    ...parts,
  })
  assert('program' in read, 'issues' in read ? JSON.stringify(read.issues) : '')
  return read.program
}

const anOrder = (parts: Partial<SentOrder> = {}): SentOrder => ({
  id: 'o-1',
  userId: 'asha',
  lines: [],
  total: 1_000_000n,
  discount: 0n,
  referralCode: '',
  subscriptPoints: false,
  status: 'placed',
  ...parts,
})

const expecting = (parts: Partial<Expected>): Expected => ({
  points: undefined,
  level: undefined,
  message: undefined,
  balance: undefined,
  earned: new Map(),
  notApplied: [],
  ...parts,
})

const aPlayer = (userId: string, parts: Partial<TestPlayer> = {}): TestPlayer => ({
  userId,
  profile: { region: '', district: '', country: '', gender: '' },
  referralCode: '',
  points: 0n,
  counts: true,
  ...parts,
})

function casesOf(histories: readonly (readonly TestStep[])[], players = [aPlayer('asha')]): Cases {
  return {
    startsAt: '2026-01-01T00:00:00.000Z',
    catalogue: new Map(),
    players,
    cases: histories.map((steps, index) => ({ name: `case ${index}`, steps })),
  }
}

const mismatchesIn = (program: Program, cases: Cases) =>
  tryCases(program, cases).map(({ steps }) =>
    steps.map((step) =>
      'refused' in step && !step.isAsExpected && step.mismatches.length === 0
        ? step.refused
        : step.mismatches.map(({ what, expected, actual }) => `${what}: ${expected}, ${actual}`),
    ),
  )

test('every expectation is compared, and nothing else', () => {
  const right = expecting({
    points: 10n,
    level: 'Bronze',
    message: 'You will earn 10 points and stay at Bronze.',
    balance: 10n,
    earned: new Map([['base', parseRatio('20/2')!]]),
    notApplied: ['big'],
  })
  const wrong = expecting({
    points: 11n,
    level: 'Silver',
    message: 'You will earn nothing.',
    balance: 9n,
    earned: new Map([
      ['base', parseRatio('10.5')!],
      ['big', parseRatio('0')!],
      ['small', parseRatio('1')!],
    ]),
    notApplied: ['base', 'small'],
  })
  const history = (expected: Expected) => [{ order: anOrder(), expected }]
  assert.deepEqual(mismatchesIn(aProgram(), casesOf([history(right), history(wrong), [{ order: anOrder() }]])), [
    [[]],
    [
      [
        'points: 11, 10',
        'level: Silver, Bronze',
        'message: You will earn nothing., You will earn 10 points and stay at Bronze.',
        'balance: 9, 10',
        'earned by base: 10.5, 10',
        'earned by big: 0, nothing',
        'earned by small: 1, no such rule',
        'earned by base: nothing, 10',
        'earned by small: nothing, no such rule',
      ],
    ],
    [[]],
  ])
})

test('a case is a history, and the next one starts from the same world', () => {
  const history = [
    { order: anOrder(), expected: expecting({ points: 10n, balance: 105n, level: 'Silver' }) },
    { order: anOrder({ id: 'o-2' }), expected: expecting({ balance: 115n }) },
    { order: anOrder({ total: 2_000_000n }), expected: expecting({ points: 20n, balance: 125n }) },
    { order: anOrder({ status: 'cancelled' }), expected: expecting({ points: 0n, balance: 105n }) },
  ]
  assert.deepEqual(mismatchesIn(aProgram(), casesOf([history, history], [aPlayer('asha', { points: 95n })])), [
    [[], [], [], []],
    [[], [], [], []],
  ])
})

test('the opening points of a player may be kept out of their level', () => {
  const cases = (counts: boolean, level: string) =>
    casesOf(
      [[{ order: anOrder(), expected: expecting({ level, balance: 110n }) }]],
      [aPlayer('asha', { points: 100n, counts })],
    )
  assert.deepEqual(mismatchesIn(aProgram(), cases(true, 'Silver')), [[[]]])
  assert.deepEqual(mismatchesIn(aProgram(), cases(false, 'Bronze')), [[[]]])
})

test('a referral gives points to both players, and is taken back with the order', () => {
  const program = aProgram({ referral: { friend: 5, referrer: 30 } })
  const players = [aPlayer('asha', { referralCode: 'ASHA' }), aPlayer('ben')]
  const bens = anOrder({ id: 'b-1', userId: 'ben', referralCode: 'ASHA' })
  const history = [
    { order: bens, expected: expecting({ points: 15n, earned: new Map([['referral', parseRatio('5')!]]) }) },
    { order: anOrder(), expected: expecting({ balance: 40n }) },
    {
      order: { ...bens, status: 'cancelled' } as const,
      expected: expecting({ balance: 0n, notApplied: ['referral'] }),
    },
    { order: anOrder({ id: 'o-2' }), expected: expecting({ balance: 20n }) },
  ]
  assert.deepEqual(mismatchesIn(program, casesOf([history], players)), [[[], [], [], []]])
  const shared = [aPlayer('asha', { referralCode: 'ASHA' }), aPlayer('cleo', { referralCode: 'ASHA' }), aPlayer('ben')]
  const notGiven = [{ order: bens, expected: expecting({ points: 10n, notApplied: ['referral'] }) }]
  assert.deepEqual(mismatchesIn(program, casesOf([notGiven], shared)), [[[]]])
})

test('with a window, orders count at their own moments, and opening points at the first moment', () => {
  const levels = {
    counts: { window: 'P1M' },
    ladder: [
      { name: 'Bronze', from: 0 },
      { name: 'Silver', from: 20 },
    ],
  }
  const at = (id: string, moment: string, level: string) => ({
    order: anOrder({ id, at: moment }),
    expected: expecting({ level }),
  })
  const history = [
    at('o-1', '2026-01-01T00:00:00.000Z', 'Silver'),
    at('o-2', '2026-01-31T23:59:59.999Z', 'Silver'),
    at('o-3', '2026-02-01T00:00:00.000Z', 'Silver'),
    at('o-4', '2026-03-01T00:00:00.000Z', 'Bronze'),
  ]
  assert.deepEqual(mismatchesIn(aProgram({ levels }), casesOf([history], [aPlayer('asha', { points: 10n })])), [
    [[], [], [], []],
  ])
})

test('an order that is refused fails its case, whatever is expected', () => {
  const program = aProgram()
  const cases = casesOf(
    [[{ order: anOrder() }, { order: anOrder({ userId: 'ben' }) }]],
    [aPlayer('asha'), aPlayer('ben')],
  )
  assert.deepEqual(mismatchesIn(program, cases), [[[], 'other-player']])
  assert.deepEqual(
    tryCases(program, cases).map(({ isAsExpected }) => isAsExpected),
    [false],
  )
})

test('rules that earn nothing in any case are listed, and so is the referral', () => {
  const program = aProgram({ referral: { friend: 5, referrer: 30 } })
  const tried = (total: bigint) => listUntried(program, tryCases(program, casesOf([[{ order: anOrder({ total }) }]])))
  assert.deepEqual(tried(1_000_000n), ['big', 'referral'])
  assert.deepEqual(tried(10_000_000n), ['referral'])
  assert.deepEqual(tried(0n), ['base', 'big', 'referral'])
})

test('an expected refusal passes, for its reason only, and the points of the player are compared as well', () => {
  const program = aProgram({ redeem: { step: 10, rewards: [{ name: 'cup', points: 30 }] } })
  const cup = (id: string, expected: Expected): TestStep => ({
    userId: 'asha',
    redeem: { act: 'redeem', id, reward: 'cup', hold: true, reason: 'a test' },
    expected,
  })
  const cases = casesOf(
    [
      [
        cup('c-1', expecting({ available: 50n, held: 30n })),
        cup('c-2', expecting({ refused: 'not-enough', available: 50n, held: 30n })),
        cup('c-2', expecting({ refused: 'step', available: 20n })),
        { ...cup('c-2', expecting({ refused: 'not-enough', held: 0n })), wait: { minutes: 15 } },
        { userId: 'asha', redeem: { act: 'void', id: 'c-1', reason: 'a test' } },
      ],
    ],
    [aPlayer('asha', { points: 50n })],
  )
  assert.deepEqual(mismatchesIn(program, cases), [
    [[], [], ['refused: step, not-enough', 'available: 20, 50'], ['refused: not-enough, nothing', 'held: 0, 30'], []],
  ])
})

test('a message may name the days of the points that an order earns, and what it redeems', () => {
  const stays = '{points_text}, from {usable_on} to {valid_until}, for {redeemed_text}'
  const program = aProgram({
    messages: { stays },
    points: { pending: { days: 14 }, expire: { after: 'P12M', 'at-end-of': 'month' } },
    redeem: { value: { points: 1, pays: '1' } },
  })
  const message = '9 points, from 2026-01-15 to 2027-01-31, for 5 points'
  const order = anOrder({ pointsRedeemed: 5n })
  const cases = casesOf([[{ order, expected: expecting({ message }) }]], [aPlayer('asha', { points: 50n })])
  assert.deepEqual(mismatchesIn(program, cases), [[[]]])
})

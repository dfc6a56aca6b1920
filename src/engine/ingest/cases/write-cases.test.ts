import assert from 'node:assert/strict'
import test from 'node:test'
import { ratio } from '../../points/arithmetic.ts'
import type { Cases } from '../../whatif/cases.ts'
import { readCasesText } from './read-cases.ts'
import { writeCasesText } from './write-cases.ts'

const nobody = { gender: '', region: '', district: '', country: '' }
const order = {
  id: 'o-1',
  userId: 'asha',
  lines: [],
  total: 1_200_000n,
  discount: 0n,
  referralCode: '',
  subscriptPoints: false,
  status: 'placed',
} as const
const unexpected = {
  points: undefined,
  level: undefined,
  message: undefined,
  balance: undefined,
  earned: new Map(),
  notApplied: [],
}
/** The player of orders that name none; the reader adds them. */
const somebody = { userId: 'somebody', profile: nobody, referralCode: '', points: 0n, counts: true }
const plain: Cases = {
  startsAt: '2026-01-01T00:00:00.000Z',
  catalogue: new Map(),
  players: [somebody, { userId: 'asha', profile: nobody, referralCode: '', points: 0n, counts: true }],
  cases: [{ name: 'plain', steps: [{ order, expected: { ...unexpected, points: 12n } }] }],
}
const full: Cases = {
  startsAt: '2026-03-01T08:00:00.000Z',
  catalogue: new Map([['TEA-1', 450_000n]]),
  players: [
    somebody,
    {
      userId: 'asha',
      profile: { ...nobody, dateOfBirth: '1992-02-29', region: 'Kerala' },
      referralCode: 'ASHA',
      points: 40n,
      counts: false,
    },
  ],
  cases: [
    {
      name: 'full',
      steps: [
        {
          order: {
            ...order,
            total: 1_200_050n,
            lines: [{ sku: 'TEA-1', qty: 20_000n, amount: 900_000n }, { qty: 10_000n }],
            qty: 30_000n,
            at: '2026-03-02T10:00:00.000Z',
          },
          expected: {
            points: 0n,
            level: 'Bronze',
            message: 'You will earn 0 points and stay at Bronze.',
            balance: 40n,
            earned: new Map([['base', ratio(1n, 3n)]]),
            notApplied: ['tea'],
          },
        },
        {
          userId: 'asha',
          redeem: { act: 'redeem', id: 'r-1', points: 500n, orderId: 'o-2', hold: true, reason: 'till' },
          wait: { minutes: 20 },
          expected: { ...unexpected, refused: 'not-enough', available: 40n, held: 0n },
        },
        { userId: 'asha', redeem: { act: 'confirm', id: 'r-1' }, wait: { days: 14 } },
        { userId: 'asha', redeem: { act: 'void', id: 'r-1', reason: 'why' }, wait: { months: 12 } },
        { order: { ...order, id: 'o-2', pointsRedeemed: 500n, redemptionId: 'r-1' }, wait: { days: 1 } },
      ],
    },
  ],
}

test('cases that are written are read as the same cases', () => {
  for (const cases of [plain, full]) {
    const text = writeCasesText(cases, ['Found by a test.', 'Worth keeping.'])
    assert.match(text, /^# Found by a test\.\n# Worth keeping\.\n/)
    const read = readCasesText(text, { money: { decimals: 0 } })
    assert('cases' in read, text)
    assert.deepEqual(read.cases, cases)
  }
})

test('empty fields are not written', () => {
  const text = writeCasesText(plain, [])
  for (const name of ['points: 0', 'earned', 'not_applied', 'ordered_at', 'total_qty', 'date_of_birth'])
    assert(!text.includes(name), `${name} in ${text}`)
  assert.doesNotMatch(text, /^products:/m)
})

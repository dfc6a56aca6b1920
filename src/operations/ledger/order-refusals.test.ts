import assert from 'node:assert/strict'
import test from 'node:test'
import { describeRedeemRefusal, notEnough } from './order-refusals.ts'

test('each reason why points are not redeemed has a field and a sentence that says what would be accepted', () => {
  const expected: [Parameters<typeof describeRedeemRefusal>[0], error: string, field?: string][] = [
    [{ kind: 'no-redeem' }, 'expected no points: the program has no redeem'],
    [{ kind: 'step', step: 10n }, 'expected a multiple of 10 points'],
    [{ kind: 'least', least: 50n }, 'expected at least 50 points'],
    [{ kind: 'at-most', most: 200n }, 'expected at most 200 points for this order, as the program says'],
    [{ kind: 'worth', most: 90n }, 'expected at most 90 points: the order is worth no more'],
    [{ kind: 'when', source: 'order.net > 5' }, 'expected no points: the order does not fulfil the condition order.net > 5'],
    [{ kind: 'not-enough', most: 230n, available: 300n, held: 65n }, 'expected at most 230 points: 300 are available, 65 of them held'],
    [{ kind: 'hold', id: 'r-1', why: 'voided' }, 'redemption r-1 is voided: hold the points anew, or leave redemption_id out', 'redemption_id'],
  ] // biome-ignore format: a row for each refusal
  for (const [refusal, error, field = 'points_redeemed'] of expected) {
    const described = describeRedeemRefusal(refusal)
    assert.deepEqual([described.field, described.error], [field, error])
    assert.equal(described.verdict, refusal.kind === 'not-enough' ? 'insufficient-points' : undefined)
  }
})

test('held points are mentioned only where there are some', () => {
  assert.equal(
    notEnough({ kind: 'not-enough', most: 0n, available: 0n, held: 0n }),
    'expected at most 0 points: 0 are available',
  )
})

test('a refusal for points that have expired since the day of the order says so, because more are available', () => {
  assert.equal(
    notEnough({ kind: 'not-enough', most: 0n, available: 190n, held: 0n, expiredSince: true }),
    "expected at most 0 points: the others of the order's day have expired since; 190 are available to an order of today",
  )
})

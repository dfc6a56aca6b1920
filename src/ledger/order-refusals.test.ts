import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf } from '../../test/support/points.ts'
import { describeAdjustmentRefusal } from '../resources/accounts/adjustments.ts'
import { describeRedeemRefusal, describeRefusal, notEnough } from './order-refusals.ts'

test('each reason why points are not redeemed has a field and a sentence that says what would be accepted', () => {
  const expected: [Parameters<typeof describeRedeemRefusal>[0], error: string, field?: string][] = [
    [{ kind: 'no-redeem' }, 'expected no points: the program has no redeem'],
    [{ kind: 'step', step: 10n }, 'expected a multiple of 10 points'],
    [{ kind: 'least', least: 50n }, 'expected at least 50 points'],
    [{ kind: 'at-most', most: 200n }, "expected at most 200 points, the program's limit for this order"],
    [{ kind: 'worth', most: 90n }, 'expected at most 90 points, the value of the order'],
    [{ kind: 'when', source: 'order.net > 5' }, 'expected no points: the order does not meet the condition order.net > 5'],
    [{ kind: 'not-enough', most: 230n, available: 300n, held: 65n }, 'expected at most 230 points: 300 are available, 65 of them held'],
    [{ kind: 'hold', id: 'r-1', why: 'voided' }, 'redemption r-1 is voided: place a new hold, or omit redemption_id', 'redemption_id'],
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
    notEnough({ kind: 'not-enough', most: 0n, available: 190n, held: 0n, why: 'expired-since' }),
    'expected at most 0 points: others of the order date have expired; 190 are available for an order placed today',
  )
})

test('a refusal has a verdict or a kind to be counted by, which shows neither ids nor values that were sent', () => {
  const order = orderOf({ id: 'secret, got "x"', userId: 'secret', at: '2026-06-01T12:00:00Z' })
  const adjustment = {
    id: 'secret',
    userId: 'secret',
    points: 5n,
    counts: true,
    reason: 'secret',
    expiresOn: '2026-06-01',
  }
  const ofOrder = (refusal: Parameters<typeof describeRefusal>[1]) => describeRefusal(order, refusal)
  const ofAdjustment = (refusal: Parameters<typeof describeAdjustmentRefusal>[1]) =>
    describeAdjustmentRefusal(adjustment, refusal)
  const condition = 'no points: the order does not meet the condition '
  const expected: [ReturnType<typeof describeRefusal>, kindOrVerdict: string][] = [
    [ofOrder('unknown-player'), 'unknown player'],
    [ofOrder('other-player'), 'of another player'],
    [ofOrder('stale'), 'stale'],
    [ofOrder('conflict'), 'conflict'],
    [ofOrder('no-program'), 'a timestamp at which a program is in effect'],
    [ofOrder('total-decimals'), "no more decimal places than the program's money.decimals"],
    [ofOrder('discount-decimals'), "no more decimal places than the program's money.decimals"],
    [ofOrder('too-many-points'), 'an order that earns at most 9007199254740991 points, and leaves no account with more'],
    [ofOrder({ kind: 'step', step: 10n }), 'a multiple of 10 points'],
    [ofOrder({ kind: 'when', source: 'order.net > 5' }), `${condition}order.net > 5`],
    [ofOrder({ kind: 'when', source: 'order.state == "Goa"' }), 'other'],
    [ofOrder({ kind: 'not-enough', most: 0n, available: 0n, held: 0n }), 'insufficient-points'],
    [ofOrder({ kind: 'hold', id: 'secret', why: 'spent' }), 'other'],
    [ofAdjustment('unknown-player'), 'unknown player'],
    [ofAdjustment('other-content'), 'other content'],
    [ofAdjustment('no-days'), 'no dates: publish a program with points: first'],
    [ofAdjustment('days-of-a-debit'), 'no dates: deductions use the points that expire first'],
    [ofAdjustment('ends-before-it-begins'), 'a date after the first one on which the points can be spent'],
    [ofAdjustment('too-many-points'), 'an adjustment that leaves the account between -9007199254740991 and 9007199254740991 points'],
  ] // biome-ignore format: a row for each refusal
  for (const [{ verdict, kind }, kindOrVerdict] of expected) assert.equal(verdict ?? kind, kindOrVerdict)
})

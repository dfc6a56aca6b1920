/*
 * Helpers for tests of redeeming: the points of one player, over the API.
 */
import assert from 'node:assert/strict'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import type { Reply, TestApp } from './test-app.ts'

const U_1 = '/api/players/u-1'

/** The account of u-1, as the API shows it. */
export async function show(app: TestApp): Promise<Reply['body']> {
  return (await app.ask('GET', U_1)).body
}

/** Gives u-1 points, once for each number of points. */
export function give(app: TestApp, points: number, more: object = {}): Promise<Reply> {
  const data = { id: `g-${points}`, points, counts: false, reason: 'r', ...more }
  return app.ask('POST', `${U_1}/adjustments`, { body: { data } })
}

/** Redeems points of u-1 without an order. */
export function redeem(app: TestApp, data: object): Promise<Reply> {
  return app.ask('POST', `${U_1}/redemptions`, { body: { data: { reason: 'checkout', ...data } } })
}

/** Confirms or voids a redemption of u-1. */
export function act(
  app: TestApp,
  id: string,
  verb: 'confirm' | 'void',
  data: object = verb === 'void' ? { reason: 'r' } : {},
): Promise<Reply> {
  return app.ask('POST', `${U_1}/redemptions/${id}/${verb}`, { body: { data } })
}

/** Asserts that the ledger explains everything that is stored. */
export async function clean({ service }: Pick<TestApp, 'service'>): Promise<void> {
  assert.deepEqual((await verifyLedger(service.db, () => undefined)).differences, [])
}

/*
 * Reads the steps of a case: orders and redemptions, each with its expected result.
 */
import type { TestStep } from '../../whatif/cases.ts'
import { key } from '../fields.ts'
import { shown } from '../shown.ts'
import type { FileFault } from '../yaml-text.ts'
import { readExpectedOfOrder, readExpectedOfRedemption } from './case-expected.ts'
import { DEFAULT_PLAYER_ID, testOrderReader } from './case-order.ts'
import { actOf, readTestRedemption } from './case-redemption.ts'
import { attempt, isNamedValues, type NamedValues } from './every-fault.ts'
import { waitField } from './wait.ts'

/** Returns a reader for the steps of a file. `players` are those that it names; `decimals` is how many decimals amounts may have. */
export function testStepReader(decimals: number, players: ReadonlySet<string>) {
  const readTestOrder = testOrderReader(decimals)

  /**
   * Reads the steps of a case; every fault is added to `faults`. An order that is sent again keeps the fields of its earlier step, and a redemption
   * keeps its player, unless the new step overrides them. An order without `order_id` is named after its position: order-1 is the first.
   */
  return function readTestSteps(list: readonly unknown[], path: string, faults: FileFault[]): TestStep[] {
    const sent = new Map<unknown, NamedValues>()
    const redeemers = new Map<unknown, unknown>()

    function readStep(own: NamedValues, stepPath: string, place: number): TestStep | undefined {
      const act = actOf(own)
      if (act !== undefined) {
        const id = own[act]
        const { user_id: named = redeemers.get(id) ?? DEFAULT_PLAYER_ID, ...said } = own
        redeemers.set(id, named)
        const userId = attempt(`${stepPath}.user_id`, faults, () => key.read(named))
        const redeem = readTestRedemption(act, said, stepPath, faults)
        return userId === undefined || redeem === undefined ? undefined : { userId, redeem }
      }
      const id = own.order_id ?? `order-${place + 1}`
      const said = { ...sent.get(id), ...own, order_id: id }
      const order = readTestOrder(said, stepPath, faults)
      if (order !== undefined) sent.set(id, said)
      return order && { order }
    }

    return list.flatMap((written, index) => {
      const stepPath = `${path}[${index}]`
      if (!isNamedValues(written)) {
        faults.push({ path: stepPath, error: `expected an order or a redemption, got ${shown(written)}` })
        return []
      }
      const before = faults.length
      const { player, expect, wait, ...own } = withoutNulls(written)
      if (player !== undefined && own.user_id !== undefined)
        faults.push({ path: `${stepPath}.player`, error: 'expected player or user_id, not both' })
      const named = player ?? own.user_id
      const step = readStep(named === undefined ? own : { ...own, user_id: named }, stepPath, index)
      if (typeof named === 'string' && !players.has(named))
        faults.push({
          path: `${stepPath}.${player === undefined ? 'user_id' : 'player'}`,
          error: `expected a player of this file, got ${shown(named)}`,
        })
      const waits = wait === undefined ? {} : { wait: attempt(`${stepPath}.wait`, faults, () => waitField.read(wait))! }
      const readExpected = actOf(own) === undefined ? readExpectedOfOrder : readExpectedOfRedemption
      const expected = expect === undefined ? {} : { expected: readExpected(expect, `${stepPath}.expect`, faults) }
      return step === undefined || faults.length > before ? [] : [{ ...step, ...waits, ...expected }]
    })
  }
}

/** Drops fields without a value, which are the same as absent ones. */
function withoutNulls(written: NamedValues): NamedValues {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null && value !== undefined))
}

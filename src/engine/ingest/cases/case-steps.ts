/*
 * Reads the steps of a case: orders and redemptions, each with the time that passes before it and its expected result. A redemption holds or spends
 * points without an order, confirms a hold, or voids either of them.
 */

import { PERIOD_PATTERN, readPeriod } from '../../points/calendar.ts'
import type { Issue } from '../../points/issue.ts'
import { Type } from '../../points/json-schema.ts'
import type { RedeemCommand } from '../../points/ledger/redemptions.ts'
import type { TestStep } from '../../whatif/cases.ts'
import type { Duration } from '../../whatif/replay.ts'
import { key, nonBlankText } from '../fields.ts'
import { type Field, InvalidValue, optional, required } from '../record.ts'
import { redemptionFields } from '../redemption.ts'
import { shown } from '../shown.ts'
import { readExpectedOfOrder, readExpectedOfRedemption } from './case-expected.ts'
import { DEFAULT_PLAYER_ID, testOrderReader } from './case-order.ts'
import { collectIssue, isNamedValues, type NamedValues, readEvery } from './collect-issues.ts'

const { points, reward, hold, orderId } = redemptionFields
const reason = optional('reason', nonBlankText, 'a test')

/** Each kind of step that is not an order is named by the field of its ID. */
export const redeemFields = { id: required('redeem', key), points, reward, hold, orderId, reason }
const confirmFields = { id: required('confirm', key), points }
const voidFields = { id: required('void', key), points, reason }

const ACTS = ['redeem', 'confirm', 'void'] as const

const CLOCK_PATTERN = '^PT[1-9][0-9]{0,3}[MH]$'

/** The time that passes before a step. */
export const waitField: Field<Duration> = {
  schema: Type.Union([Type.String({ pattern: PERIOD_PATTERN }), Type.String({ pattern: CLOCK_PATTERN })]),
  read: (value) => {
    const text = typeof value === 'string' ? value : ''
    if (new RegExp(PERIOD_PATTERN).test(text)) return readPeriod(text)
    if (!new RegExp(CLOCK_PATTERN).test(text)) throw new InvalidValue('a duration like PT20M, P14D, P12M or P1Y', value)
    return { minutes: Number(text.slice(2, -1)) * (text.endsWith('H') ? 60 : 1) }
  },
}

/** Returns a reader for the steps of a file. `players` are those that it names; `decimals` is how many decimals amounts may have. */
export function testStepReader(decimals: number, players: ReadonlySet<string>) {
  const readTestOrder = testOrderReader(decimals)

  /**
   * Reads the steps of a case; every issue is added to `issues`. An order that is sent again keeps the fields of its earlier step, and a redemption
   * keeps its player, unless the new step overrides them. An order without `order_id` is named after its position: order-1 is the first.
   */
  return function readTestSteps(list: readonly unknown[], path: string, issues: Issue[]): TestStep[] {
    const sent = new Map<unknown, NamedValues>()
    const redeemers = new Map<unknown, unknown>()

    function readStep(values: NamedValues, stepPath: string, place: number): TestStep | undefined {
      const act = actOf(values)
      if (act !== undefined) {
        const id = values[act]
        const { user_id: named = redeemers.get(id) ?? DEFAULT_PLAYER_ID, ...fields } = values
        redeemers.set(id, named)
        const userId = collectIssue(`${stepPath}.user_id`, issues, () => key.read(named))
        const redeem = readTestRedemption(act, fields, stepPath, issues)
        return userId === undefined || redeem === undefined ? undefined : { userId, redeem }
      }
      const id = values.order_id ?? `order-${place + 1}`
      const fields = { ...sent.get(id), ...values, order_id: id }
      const order = readTestOrder(fields, stepPath, issues)
      if (order !== undefined) sent.set(id, fields)
      return order && { order }
    }

    return list.flatMap((raw, index) => {
      const stepPath = `${path}[${index}]`
      if (!isNamedValues(raw)) {
        issues.push({ path: stepPath, error: `expected an order or a redemption, got ${shown(raw)}` })
        return []
      }
      const before = issues.length
      const { player, expect, wait, ...values } = withoutNulls(raw)
      if (player !== undefined && values.user_id !== undefined)
        issues.push({ path: `${stepPath}.player`, error: 'player and user_id cannot be combined' })
      const named = player ?? values.user_id
      const step = readStep(named === undefined ? values : { ...values, user_id: named }, stepPath, index)
      if (typeof named === 'string' && !players.has(named))
        issues.push({
          path: `${stepPath}.${player === undefined ? 'user_id' : 'player'}`,
          error: `expected a player of this file, got ${shown(named)}`,
        })
      const waits =
        wait === undefined ? {} : { wait: collectIssue(`${stepPath}.wait`, issues, () => waitField.read(wait))! }
      const readExpected = actOf(values) === undefined ? readExpectedOfOrder : readExpectedOfRedemption
      const expected = expect === undefined ? {} : { expected: readExpected(expect, `${stepPath}.expect`, issues) }
      return step === undefined || issues.length > before ? [] : [{ ...step, ...waits, ...expected }]
    })
  }
}

/** Drops fields without a value, which are the same as absent ones. */
function withoutNulls(values: NamedValues): NamedValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))
}

/** The act of a step, determined by which field holds its id; undefined for an order. */
function actOf(values: NamedValues): (typeof ACTS)[number] | undefined {
  return ACTS.find((act) => values[act] !== undefined)
}

/** Reads a redemption. Every issue is added to `issues`; undefined if there is any. */
function readTestRedemption(
  act: (typeof ACTS)[number],
  values: NamedValues,
  path: string,
  issues: Issue[],
): RedeemCommand | undefined {
  if (act === 'confirm') return commandOf({ act }, readEvery(confirmFields, values, path, issues))
  if (act === 'void') return commandOf({ act }, readEvery(voidFields, values, path, issues))
  const read = readEvery(redeemFields, values, path, issues)
  if (read !== undefined && (read.points === undefined) === (read.reward === undefined)) {
    issues.push({ path, error: 'expected exactly one of points and reward' })
    return undefined
  }
  return commandOf({ act }, read)
}

/** The command, without the fields that were left out. */
function commandOf(act: Pick<RedeemCommand, 'act'>, read: object | undefined): RedeemCommand | undefined {
  if (read === undefined) return undefined
  const fields = Object.entries(read).filter(([, value]) => value !== undefined)
  return { ...act, ...Object.fromEntries(fields) } as RedeemCommand
}

/** The wait as text that `waitField` reads: P14D, P12M, PT20M. */
export function waitText(wait: Duration): string {
  if ('minutes' in wait) return `PT${wait.minutes}M`
  return 'days' in wait ? `P${wait.days}D` : `P${wait.months}M`
}

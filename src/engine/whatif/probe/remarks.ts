/*
 * Remarks on sound programs: what a shop owner should know, although it is not a counterexample. They concern the simplest orders of a new player.
 */

import { AMOUNT_SCALE, amountText } from '../../points/arithmetic.ts'
import { computeNet } from '../../points/bases.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Program } from '../../points/program-model.ts'
import { paidBy, paysText } from '../../points/redeem-rules.ts'
import type { Rule } from '../../points/rules/index.ts'
import { type Domain, STARTS_AT } from './domains.ts'
import { CUSTOMER, multiplied, orderOfLines, playerOf, type RecordedStep, replayAfter } from './scenario.ts'
import { type SearchSpace, searchSpaceOf } from './search-space.ts'

/** The maximum number of rules examined, and of orders tried for each. */
const [RULES_MAX, TRIES_MAX] = [20, 150]

/** Sentences about ceilings and gifts under which two orders earn more than one, about the cost of referrals, and about spending. */
export function remarksOn(program: Program): string[] {
  const space = searchSpaceOf(program)
  const rules = program.earn
    .map((rule, index) => ({ rule, domain: space.domains[index + 1]! }))
    .filter(({ rule }) => rule.kind === 'fixed' || rule.kind === 'at-most')
    .slice(0, RULES_MAX)
  return [
    ...rules.flatMap(({ rule, domain }) => remarkOnRule(rule, domain, space) ?? []),
    ...remarksOnReferral(program),
    ...remarksOnSpending(space),
  ]
}

/** A remark on the first order of a usual size that earns more in two halves because of the rule. */
function remarkOnRule(rule: Rule, domain: Domain, space: SearchSpace): string | undefined {
  const world = { startsAt: STARTS_AT, catalogue: new Map(), players: [playerOf(CUSTOMER)] }
  const replay = replayAfter(space, { world, before: [] })
  const isFrom = ({ prediction }: RecordedStep) => prediction.earned.some((line) => line.rule === rule.name)
  for (const half of halves(domain, space).take(TRIES_MAX)) {
    const whole = { ...multiplied(half, 2n), id: 'whole' }
    const [one] = replay([whole]) ?? []
    const two = replay([half, { ...half, id: 'other' }])
    if (one === undefined || two === undefined) continue
    const points = two.reduce((sum, { prediction }) => sum + prediction.points, 0n)
    const isByRule = (rule.kind === 'at-most' ? [one] : two).every(isFrom)
    if (isByRule && points > one.prediction.points)
      return `${rule.name} counts for each order: one of ${amountText(computeNet(whole))} earns ${one.prediction.points} points, two of ${amountText(computeNet(half))} earn ${points}.`
  }
  return undefined
}

/** Orders of one line, at a unit or more. */
function* halves({ products, flags, amounts }: Domain, { unit }: SearchSpace): Generator<SentOrder> {
  for (const amount of amounts.filter((one) => one >= unit))
    for (const goods of products)
      for (const subscriptPoints of flags)
        yield { ...orderOfLines('half', [{ ...goods, qty: AMOUNT_SCALE, amount }]), subscriptPoints }
}

function remarksOnReferral({ referral, levels }: Program): string[] {
  if (referral === undefined) return []
  const { friend, referrer, counts } = referral
  const gift = `The referral gives ${friend + referrer} points for each new account with an order, however small`
  const next = levels.ladder[1]
  if (!counts || referrer === 0n || next === undefined) return [`${gift}.`]
  const accounts = (next.from + referrer - 1n) / referrer
  return [`${gift}: ${accounts} of them bring the referrer to ${next.name}.`]
}

/** What a customer may take before the shop knows that goods will be returned, and how points can outlive their expiry. */
function remarksOnSpending(space: SearchSpace): string[] {
  const { points, redeem } = space.program
  if (redeem === undefined) return []
  const overdraft = `A new account can spend ${redeem.overdraft} points more than its balance, and never come back (redeem.overdraft).`
  const kept =
    'Points can be kept from expiring: if an order paid with them is cancelled after their expiry, they are valid again for the duration of redeem.given-back, every time.'
  const alive = 'A returned order has extended the expiry of all points like any other (points.expire.inactive).'
  return [
    ...((points?.pending?.days ?? 0) === 0 && points?.pending?.after !== 'fulfilled' ? remarkOnWaiting(space) : []),
    ...(redeem.overdraft > 0n ? [overdraft] : []),
    ...(redeem.givenBack !== undefined && points?.expire !== undefined ? [kept] : []),
    ...(points?.expire?.slides === true ? [alive] : []),
  ]
}

/** A remark on an order of a hundred units whose points can be spent at once. */
function remarkOnWaiting(space: SearchSpace): string[] {
  const { program, unit, domains } = space
  const world = { startsAt: STARTS_AT, catalogue: new Map(), players: [playerOf(CUSTOMER)] }
  const order = orderOfLines('order', [{ ...domains[0]!.products[0]!, qty: AMOUNT_SCALE, amount: 100n * unit }])
  const [step] = replayAfter(space, { world, before: [] })([order]) ?? []
  const earned = step?.prediction.points ?? 0n
  const { step: whole, value } = program.redeem!
  const spent = earned - (earned % whole)
  if (spent === 0n) return []
  const pays = value === undefined ? '' : `, which pay ${paysText(paidBy(spent, { value }), program.money.decimals)},`
  return [
    `Points can be spent at once: an order of ${amountText(order.total)} earns ${earned} points${pays} before its goods may be returned. After a return, points already spent are owed until later points cover them; points.pending delays spending.`,
  ]
}

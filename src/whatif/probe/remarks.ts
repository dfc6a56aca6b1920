/*
 * Remarks on sound programs: what a shop owner should know, and what is no counterexample. They are about the simplest orders of a new player.
 */
import { AMOUNT_SCALE, amountText } from '../../points/arithmetic.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Program } from '../../points/program-model.ts'
import type { Rule } from '../../points/rules/index.ts'
import { type Domain, STARTS_AT } from './domains.ts'
import { CUSTOMER, multiplied, orderOfLines, paidFor, playerOf, type RecordedStep, replayAfter } from './scenario.ts'
import { type SearchSpace, searchSpaceOf } from './search-space.ts'

/** The rules that are looked at, and the orders that are tried for each. */
const [RULES_MAX, TRIES_MAX] = [20, 150]

/** Sentences about ceilings and gifts that treat two orders unlike one, and about the cost of referrals. */
export function remarksOn(program: Program): string[] {
  const space = searchSpaceOf(program)
  const rules = program.earn
    .map((rule, index) => ({ rule, domain: space.domains[index + 1]! }))
    .filter(({ rule }) => rule.kind === 'fixed' || rule.kind === 'at-most')
    .slice(0, RULES_MAX)
  return [
    ...rules.flatMap(({ rule, domain }) => remarkOnRule(rule, domain, space) ?? []),
    ...remarksOnReferral(program),
  ]
}

/** About the first order of a usual size that earns more in two halves because of the rule. */
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
      return `${rule.name} counts for each order: one of ${amountText(paidFor(whole))} earns ${one.prediction.points} points, two of ${amountText(paidFor(half))} earn ${points}.`
  }
  return undefined
}

/** Orders of one line and a unit or more. */
function* halves({ products, flags, amounts }: Domain, { unit }: SearchSpace): Generator<SentOrder> {
  for (const amount of amounts.filter((one) => one >= unit))
    for (const sku of products)
      for (const subscriptPoints of flags)
        yield { ...orderOfLines('half', [{ sku, qty: AMOUNT_SCALE, amount }]), subscriptPoints }
}

function remarksOnReferral({ referral, levels }: Program): string[] {
  if (referral === undefined) return []
  const { friend, referrer, counts } = referral
  const gift = `The referral gives ${friend + referrer} points for each new account with an order, however small`
  const next = levels.ladder[1]
  if (!counts || referrer === 0n || next === undefined) return [`${gift}.`]
  const accounts = (next.from + referrer - 1n) / referrer
  return [`${gift}: ${accounts} of them bring who refers them to ${next.name}.`]
}

/*
 * What sound programs do, and who runs a shop should know: not counter-examples. Said of the simplest orders of a new player.
 */
import { amountText } from '../../points/arithmetic.ts'
import type { Program } from '../../points/program-model.ts'
import type { Rule } from '../../points/rules/index.ts'
import { type Shop, STARTS_AT, shopOf } from './shop.ts'
import { anOrder, aPlayer, multiplied, paidFor, playAfter, SHOPPER } from './visit.ts'

/** Rules that are looked at, and orders tried for each. */
const [RULES_MAX, TRIES_MAX] = [20, 150]

/** Sentences about ceilings and gifts that two orders meet otherwise than one, and about what referrals cost. */
export function worthKnowing(program: Program): string[] {
  const shop = shopOf(program)
  const rules = program.earn
    .map((rule, index) => ({ rule, index }))
    .filter(({ rule }) => rule.kind === 'fixed' || rule.kind === 'at-most')
    .slice(0, RULES_MAX)
  return [...rules.flatMap(({ rule, index }) => aboutRule(rule, index, shop)), ...aboutReferral(program)]
}

/** The first order of usual size that earns more in two halves because of a rule. */
function aboutRule(rule: Rule, index: number, shop: Shop): string[] {
  const { products, flags, amounts } = shop.aims[index + 1]!
  let tries = 0
  for (const amount of amounts.filter((one) => one >= shop.unit))
    for (const sku of products)
      for (const subscriptPoints of flags) {
        tries += 1
        if (tries > TRIES_MAX) return []
        const half = { ...anOrder('half', [{ sku, qty: 10_000n, amount }]), subscriptPoints }
        const whole = { ...multiplied(half, 2n), id: 'whole' }
        const world = { startsAt: STARTS_AT, catalogue: new Map(), players: [aPlayer(SHOPPER)] }
        const play = playAfter(shop, { world, before: [] })
        const one = play([whole])?.[0]
        const two = play([half, { ...half, id: 'other' }])
        if (one === undefined || two === undefined) continue
        const points = two.reduce((sum, { prediction }) => sum + prediction.points, 0n)
        const isAbout = (rule.kind === 'at-most' ? [one] : two).every(({ prediction }) =>
          prediction.earned.some((earned) => earned.rule === rule.name),
        )
        if (isAbout && points > one.prediction.points)
          return [
            `${rule.name} counts for each order: one of ${amountText(paidFor(whole))} earns ${one.prediction.points} points, two of ${amountText(paidFor(half))} earn ${points}.`,
          ]
      }
  return []
}

function aboutReferral({ referral, levels }: Program): string[] {
  if (referral === undefined) return []
  const { friend, referrer, counts } = referral
  const gift = `The referral gives ${friend + referrer} points for each new account with an order, however small`
  const next = levels.ladder[1]
  if (!counts || referrer === 0n || next === undefined) return [`${gift}.`]
  const accounts = (next.from + referrer - 1n) / referrer
  return [`${gift}: ${accounts} of them bring who refers them to ${next.name}.`]
}

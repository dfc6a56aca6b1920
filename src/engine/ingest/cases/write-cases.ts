/*
 * Writes cases as a file that `readCasesText` reads.
 */
import { Document } from 'yaml'
import { AMOUNT_SCALE, amountText, ratioText } from '../../points/arithmetic.ts'
import { valuesOfSet } from '../../points/attributes.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Amount } from '../../points/units.ts'
import type { Cases, Expected, TestStep } from '../../whatif/cases.ts'
import type { HistoryStep, TestPlayer } from '../../whatif/replay.ts'
import { waitText } from './case-steps.ts'

const LINE_WIDTH = 140
/** A parser may round a bare number with more digits. */
const BARE_MAX = 15

/** The text of a cases file; `head` is written as comments at its top. */
export function writeCasesText({ startsAt, catalogue, players, cases }: Cases, head: readonly string[]): string {
  const orders = cases.flatMap(({ steps }) => steps.flatMap((step) => ('order' in step ? [step.order] : [])))
  const document = new Document({})
  const set = (name: string, value: unknown) => document.set(name, document.createNode(value))
  set('starts_at', startsAt)
  set('amount_decimals', decimalsOf(orders))
  if (catalogue.size > 0)
    set('products', Object.fromEntries([...catalogue].map(([sku, price]) => [sku, formatAmount(price ?? 0n)])))
  set('players', Object.fromEntries(players.map((player) => [player.userId, formatPlayer(player)])))
  const flow = (value: unknown) => document.createNode(value, { flow: true })
  set(
    'cases',
    cases.map(({ name, steps }) => ({
      name,
      orders: steps.map(({ expected, ...step }: TestStep) => {
        const { products, ...rest } = formatStep(step)
        return {
          ...rest,
          ...(products === undefined ? {} : { products: flow(products) }),
          ...(expected === undefined ? {} : { expect: flow(formatExpected(expected)) }),
        }
      }),
    })),
  )
  return `${head.map((line) => `# ${line}\n`).join('')}${document.toString({ lineWidth: LINE_WIDTH })}`
}

/** A step with the field names of a cases file: an order with all of its wire fields, or a redemption. */
export function formatStep(step: HistoryStep): Readonly<Record<string, unknown>> {
  const waits = step.wait === undefined ? {} : { wait: waitText(step.wait) }
  if ('order' in step) return { ...formatOrder(step.order), ...waits }
  const { userId: player, redeem } = step
  switch (redeem.act) {
    case 'redeem': {
      const { id, points, reward, orderId, hold, reason } = redeem
      const what = points === undefined ? { reward } : { points: Number(points) }
      return {
        redeem: id,
        player,
        ...what,
        ...(orderId === undefined ? {} : { order_id: orderId }),
        hold,
        reason,
        ...waits,
      }
    }
    case 'confirm':
      return {
        confirm: redeem.id,
        player,
        ...(redeem.points === undefined ? {} : { points: Number(redeem.points) }),
        ...waits,
      }
    case 'void':
      return {
        void: redeem.id,
        player,
        ...(redeem.points === undefined ? {} : { points: Number(redeem.points) }),
        reason: redeem.reason,
        ...waits,
      }
    default:
      return redeem satisfies never
  }
}

/** An order with wire names. All fields are written for every state, as a resent order would otherwise inherit those left out. */
function formatOrder(order: SentOrder) {
  return {
    order_id: order.id,
    player: order.userId,
    products: order.lines.map(({ sku, amount, qty, refunded, attributes }) => ({
      ...(sku === undefined ? {} : { product_sku_id: sku }),
      qty: formatAmount(qty),
      ...(amount === undefined ? {} : { amount: formatAmount(amount) }),
      ...(refunded === undefined
        ? {}
        : { refunded: typeof refunded === 'bigint' ? formatAmount(refunded) : { qty: formatAmount(refunded.qty) } }),
      ...(attributes === undefined ? {} : { attributes: valuesOfSet(attributes) }),
    })),
    total_amount: formatAmount(order.total),
    discount: formatAmount(order.discount),
    ...(order.qty === undefined ? {} : { total_qty: formatAmount(order.qty) }),
    refferral_code: order.referralCode,
    subscript_points: order.subscriptPoints,
    status: order.status,
    ...(order.at === undefined ? {} : { ordered_at: order.at }),
    ...(order.fulfilledAt === undefined ? {} : { fulfilled_at: order.fulfilledAt }),
    ...(order.pointsRedeemed === undefined ? {} : { points_redeemed: Number(order.pointsRedeemed) }),
    ...(order.redemptionId === undefined ? {} : { redemption_id: order.redemptionId }),
    ...(order.currency === undefined ? {} : { currency: order.currency }),
    ...(order.attributes === undefined ? {} : { attributes: valuesOfSet(order.attributes) }),
  }
}

function formatPlayer({ profile, referralCode, points, counts }: TestPlayer) {
  const { dateOfBirth, region, attributes, ...others } = profile
  const places = { state: region, ...others }
  return {
    ...Object.fromEntries(Object.entries(places).filter(([, text]) => text !== '')),
    ...(dateOfBirth === undefined ? {} : { date_of_birth: dateOfBirth.split('-').reverse().join('-') }),
    ...(attributes === undefined ? {} : { attributes: valuesOfSet(attributes) }),
    ...(referralCode === '' ? {} : { referral_code: referralCode }),
    ...(points === 0n ? {} : { points: Number(points), counts }),
  }
}

function formatExpected(expected: Expected) {
  const { points, level, message, balance, available, pending, held, refused, earned, notApplied } = expected
  return {
    ...(points === undefined ? {} : { points: Number(points) }),
    ...(level === undefined ? {} : { level }),
    ...(message === undefined ? {} : { message }),
    ...(balance === undefined ? {} : { balance: Number(balance) }),
    ...(available === undefined ? {} : { available: Number(available) }),
    ...(pending === undefined ? {} : { pending: Number(pending) }),
    ...(held === undefined ? {} : { held: Number(held) }),
    ...(refused === undefined ? {} : { refused }),
    ...(earned.size === 0
      ? {}
      : { earned: Object.fromEntries([...earned].map(([rule, exact]) => [rule, ratioText(exact)])) }),
    ...(notApplied.length === 0 ? {} : { not_applied: notApplied }),
  }
}

function formatAmount(amount: Amount): number | string {
  const text = amountText(amount)
  return text.length <= BARE_MAX ? Number(text) : text
}

/** The smallest number of decimals that suffices for the amounts of all orders. */
function decimalsOf(orders: readonly SentOrder[]): number {
  const amounts = orders.flatMap(({ total, discount }) => [total, discount])
  return [0, 1, 2, 3, 4].find((digits) => amounts.every((one) => (one * 10n ** BigInt(digits)) % AMOUNT_SCALE === 0n))!
}

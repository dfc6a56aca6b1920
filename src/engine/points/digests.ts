/*
 * Digests of what a prediction is computed from. When a prediction does not come true, they show which input changed.
 */
import { hash } from 'node:crypto'
import type { Digests, Order, Player, Refund } from './model.ts'
import type { Amount, AttributeSet } from './units.ts'

/**
 * Digests of an order (without its moment and ids), of its player's facts, and of the catalogue's prices and attributes for its lines. Equal parts
 * have equal digests. The program, the fourth input, needs none: it has a version.
 *
 * Bounds  64 bits, so collisions are possible but unlikely. A digest conceals nothing from anyone who can guess its input
 */
export function digestsOf(
  order: Omit<Order, 'at'>,
  player: Player,
  prices: ReadonlyMap<string, Amount | undefined>,
  products?: ReadonlyMap<string, AttributeSet>,
): Digests {
  const { lines, total, discount, qty, referralCode, subscriptPoints, status, pointsRedeemed, currency, attributes } =
    order
  return {
    order: digest([
      // Here and below: only where present, so that digests stored before there was such a thing stay valid.
      lines.map(({ sku, amount, qty, refunded, attributes }) => [
        ...[sku, digits(amount), digits(qty)],
        ...(refunded === undefined ? [] : [refundDigits(refunded)]),
        ...(attributes === undefined ? [] : [{ attributes }]),
      ]),
      [digits(total), digits(discount), digits(qty), referralCode, subscriptPoints, status],
      ...(pointsRedeemed === undefined ? [] : [digits(pointsRedeemed)]),
      ...(currency === undefined ? [] : [[currency]]),
      ...(attributes === undefined ? [] : [{ attributes }]),
    ]),
    player: playerDigest(player),
    prices: digest([
      ...lines.map(({ sku }) => (sku === undefined ? undefined : digits(prices.get(sku)))),
      ...(products === undefined ? [] : [lines.map(({ sku }) => sku && products.get(sku))]),
    ]),
  }
}

/** The digest of a player's facts alone. */
export function playerDigest(player: Player): string {
  return digest([
    [player.known, digits(player.points), digits(player.levelPoints), digits(player.orders)],
    [player.region, player.district, player.country, player.gender, player.dateOfBirth],
    // Only where present, as above.
    ...(player.participates === undefined ? [] : [player.participates]),
    ...(player.attributes === undefined ? [] : [{ attributes: player.attributes }]),
  ])
}

/** In a JSON array undefined becomes null, and so differs from an empty text. */
function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 16)
}

function refundDigits(refunded: Refund): unknown {
  return typeof refunded === 'bigint' ? digits(refunded) : [digits(refunded.qty)]
}

/** JSON has no BigInt, and a replacer function would be called for every value. */
function digits(value: bigint | undefined): string | undefined {
  return value?.toString()
}

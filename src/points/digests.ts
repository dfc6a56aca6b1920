/*
 * Digests of what a prediction is computed from. Where a prediction did not come true, they tell what had changed.
 */
import { hash } from 'node:crypto'
import type { Digests, Order, Player } from './model.ts'
import type { Amount } from './units.ts'

/**
 * Digests of an order (without its moment and ids), of its player's facts, and of the catalogue's prices for its lines. Equal parts
 * have equal digests. The program, the fourth part, has a version and needs none.
 *
 * Bounds  64 bits: different parts share a digest by chance only. A digest hides nothing from someone who can guess the part
 */
export function digestsOf(
  order: Omit<Order, 'at'>,
  player: Player,
  prices: ReadonlyMap<string, Amount | undefined>,
): Digests {
  const { lines, total, discount, qty, referralCode, subscriptPoints, status, pointsRedeemed } = order
  return {
    order: digest([
      lines.map(({ sku, amount, qty }) => [sku, digits(amount), digits(qty)]),
      [digits(total), digits(discount), digits(qty), referralCode, subscriptPoints, status],
      // Only where there are any: digests from before stay what they are.
      ...(pointsRedeemed === undefined ? [] : [digits(pointsRedeemed)]),
    ]),
    player: digest([
      [player.known, digits(player.points), digits(player.levelPoints), digits(player.orders)],
      [player.region, player.district, player.country, player.gender, player.dateOfBirth],
    ]),
    prices: digest(lines.map(({ sku }) => (sku === undefined ? undefined : digits(prices.get(sku))))),
  }
}

/** In a JSON list what is absent becomes null, and so differs from an empty text. */
function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 16)
}

/** JSON has no BigInt, and a replacer would be called for every part. */
function digits(value: bigint | undefined): string | undefined {
  return value?.toString()
}

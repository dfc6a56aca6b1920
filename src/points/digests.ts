/*
 * Short fingerprints of what a prediction is computed from. Where an order came to something else than was predicted, they say what had changed.
 */
import { hash } from 'node:crypto'
import type { Digests, Order, Player } from './model.ts'
import type { Amount } from './units.ts'

/**
 * A digest of what an order says (its moment and ids aside), of its player's facts, and of the catalogue's prices for its lines.
 * Equal parts have equal digests; the program is the fourth part, and has a number.
 *
 * Units   16 characters of hex
 * Bounds  64 bits: two parts that differ share one by chance only. Whoever can guess a part can tell its digest: it hides nothing
 */
export function digestsOf(
  order: Omit<Order, 'at'>,
  player: Player,
  prices: ReadonlyMap<string, Amount | undefined>,
): Digests {
  const { lines, total, discount, qty, referralCode, subscriptPoints, status } = order
  return {
    order: digest([
      lines.map(({ sku, amount, qty }) => [sku, digits(amount), digits(qty)]),
      [digits(total), digits(discount), digits(qty), referralCode, subscriptPoints, status],
    ]),
    player: digest([
      [player.known, digits(player.points), digits(player.levelPoints), digits(player.orders)],
      [player.region, player.district, player.country, player.gender, player.dateOfBirth],
    ]),
    prices: digest(lines.map(({ sku }) => (sku === undefined ? undefined : digits(prices.get(sku))))),
  }
}

/** What is absent becomes null in a list of JSON, and so differs from an empty text. */
function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 16)
}

/** JSON knows no BigInt; a function that told it how to write one would be called for every part. */
function digits(value: bigint | undefined): string | undefined {
  return value?.toString()
}

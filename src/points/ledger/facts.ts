/*
 * The facts of an order's first recording, with which it is computed ever after.
 */
import {
  type Catalogue,
  type CodeOwner,
  type Facts,
  type Order,
  type Player,
  type RecordedOrder,
  type ReferralCase,
  UNKNOWN_PLAYER,
} from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** The facts of the first recording; prices and codes that this state of the order brings in are added as they are now. */
export function factsFor(
  order: Order,
  recorded: RecordedOrder | undefined,
  published: PublishedProgram,
  levelPoints: bigint,
  ledger: WorkingLedger,
): Facts {
  const first = recorded?.facts ?? {
    program: published.version,
    player: playerNow(order.userId, levelPoints, ledger),
    prices: new Map<string, bigint | undefined>(),
    codes: new Map<string, CodeOwner>(),
  }
  const code = order.referralCode
  return {
    ...first,
    prices: withPricesOf(order, first.prices, ledger),
    codes:
      code === '' || first.codes.has(code)
        ? first.codes
        : new Map([...first.codes, [code, ownerOf(ledger.codeOwners(code), order.userId)]]),
  }
}

function withPricesOf({ lines }: Order, prices: Catalogue, ledger: WorkingLedger): Catalogue {
  if (lines.every(({ sku }) => sku === undefined || prices.has(sku))) return prices
  const all = new Map(prices)
  for (const { sku } of lines) if (sku !== undefined && !all.has(sku)) all.set(sku, ledger.price(sku))
  return all
}

function playerNow(userId: string, levelPoints: bigint, ledger: WorkingLedger): Player {
  const profile = ledger.profile(userId)
  if (profile === undefined) return UNKNOWN_PLAYER
  const { points, orders } = ledger.account(userId)
  return { ...profile, known: true, points, levelPoints, orders }
}

/** Nobody refers themselves; a code that several others bear refers nobody. */
function ownerOf(bearers: readonly string[], userId: string): CodeOwner {
  const [referrerId, ...more] = bearers.filter((bearer) => bearer !== userId)
  if (referrerId === undefined) return { why: 'unknown' }
  return more.length === 0 ? { referrerId } : { why: 'shared' }
}

/** What the order's referral code comes to. `firstOrderId` is its player's; absent where this is their first. */
export function referralCase({ id, referralCode }: Order, { codes }: Facts, firstOrderId = id): ReferralCase {
  if (referralCode === '') return { why: 'no-code' }
  return firstOrderId === id ? codes.get(referralCode)! : { why: 'not-first' }
}

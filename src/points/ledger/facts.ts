/*
 * The facts that an order is computed with: those of its first recording, for every later revision.
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
import type { Points } from '../units.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** The facts of the first recording. A product or code that comes in with this state of the order is looked up now, and kept from then on. */
export function factsFor(
  order: Order,
  recorded: RecordedOrder | undefined,
  { version }: PublishedProgram,
  before: Readonly<{ balance: Points; levelPoints: Points }>,
  ledger: WorkingLedger,
): Facts {
  const first = recorded?.facts ?? {
    program: version,
    player: playerNow(order.userId, before, ledger),
    prices: new Map<string, bigint | undefined>(),
    codes: new Map<string, CodeOwner>(),
  }
  return { ...first, prices: withPricesOf(order, first.prices, ledger), codes: withCodeOf(order, first.codes, ledger) }
}

function playerNow(
  userId: string,
  { balance, levelPoints }: Readonly<{ balance: Points; levelPoints: Points }>,
  ledger: WorkingLedger,
): Player {
  const profile = ledger.profile(userId)
  if (profile === undefined) return UNKNOWN_PLAYER
  const { orders } = ledger.account(userId)
  return { ...profile, known: true, points: balance, levelPoints, orders }
}

function withPricesOf({ lines }: Order, prices: Catalogue, ledger: WorkingLedger): Catalogue {
  const added = lines.flatMap(({ sku }) => (sku === undefined || prices.has(sku) ? [] : [sku]))
  return added.length === 0 ? prices : new Map([...prices, ...added.map((sku) => [sku, ledger.price(sku)] as const)])
}

function withCodeOf({ referralCode, userId }: Order, codes: Facts['codes'], ledger: WorkingLedger): Facts['codes'] {
  if (referralCode === '' || codes.has(referralCode)) return codes
  return new Map([...codes, [referralCode, ownerOf(ledger.bearersOf(referralCode), userId)]])
}

/** Players cannot refer themselves; a code that several others bear refers nobody. */
function ownerOf(bearers: readonly string[], userId: string): CodeOwner {
  const [referrerId, ...more] = bearers.filter((bearer) => bearer !== userId)
  if (referrerId === undefined) return { why: 'unknown' }
  return more.length === 0 ? { referrerId } : { why: 'shared' }
}

/** What the order's referral code comes to. `firstOrderId` is its player's first placed order; absent where there is none yet. */
export function referralCase({ id, referralCode }: Order, { codes }: Facts, firstOrderId = id): ReferralCase {
  if (referralCode === '') return { why: 'no-code' }
  return firstOrderId === id ? codes.get(referralCode)! : { why: 'not-first' }
}

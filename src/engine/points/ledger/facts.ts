/*
 * The facts that an order is computed with. Every later revision uses those of the first recording.
 */
import { textInSet } from '../attributes.ts'
import {
  type Catalogue,
  type CodeOwner,
  type EvaluationInputs,
  type Order,
  type Player,
  type RecordedOrder,
  type ReferralCase,
  type Referrer,
  UNKNOWN_PLAYER,
} from '../model.ts'
import { roundsExpiry } from '../pending-and-expiry.ts'
import type { PublishedProgram } from '../program-model.ts'
import type { Amount, AttributeSet, Points } from '../units.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** A player's points before a new order; `balance` is undefined where nothing needs it. */
type PointsBefore = Readonly<{ balance: Points | undefined; levelPoints: Points }>

/** The facts of the first recording. A product or code that first appears in this state of the order is looked up now, and kept from then on. */
export function factsFor(
  order: Order,
  recorded: RecordedOrder | undefined,
  { version, program }: PublishedProgram,
  before: PointsBefore,
  ledger: WorkingLedger,
): EvaluationInputs {
  const first = recorded?.facts ?? {
    program: version,
    player: playerNow(order.userId, before, ledger),
    prices: new Map<string, bigint | undefined>(),
    codes: new Map<string, CodeOwner>(),
    ...(program.statistics === undefined ? {} : { statisticsBy: textInSet(order.attributes, program.statistics.by) }),
    ...(roundsExpiry(program) ? { roundsFirstDays: true as const } : {}),
  }
  const attributes = withAttributesOf(order, first, ledger)
  return {
    ...first,
    prices: withPricesOf(order, first.prices, ledger),
    codes: withCodeOf(order, first.codes, ledger),
    ...(attributes === undefined ? {} : { attributes }),
  }
}

function playerNow(userId: string, { balance, levelPoints }: PointsBefore, ledger: WorkingLedger): Player {
  const profile = ledger.profile(userId)
  if (profile === undefined) return UNKNOWN_PLAYER
  const { orders } = ledger.account(userId)
  return { ...profile, known: true, levelPoints, orders, ...(balance === undefined ? {} : { points: balance }) }
}

function withPricesOf({ lines }: Order, prices: Catalogue, ledger: WorkingLedger): Catalogue {
  let extended: Map<string, Amount | undefined> | undefined
  for (const { sku } of lines)
    if (sku !== undefined && !prices.has(sku)) {
      extended ??= new Map(prices)
      extended.set(sku, ledger.price(sku))
    }
  return extended ?? prices
}

/** The attributes of products, as of when the order first had them, like their prices. */
function withAttributesOf(
  { lines }: Order,
  { prices, attributes }: EvaluationInputs,
  ledger: WorkingLedger,
): EvaluationInputs['attributes'] {
  let known: Map<string, AttributeSet> | undefined
  for (const { sku } of lines) {
    const set = sku === undefined || prices.has(sku) ? undefined : ledger.attributes(sku)
    if (set !== undefined) {
      known ??= new Map(attributes)
      known.set(sku!, set)
    }
  }
  return known ?? attributes
}

function withCodeOf(
  { referralCode, userId }: Order,
  codes: EvaluationInputs['codes'],
  ledger: WorkingLedger,
): EvaluationInputs['codes'] {
  if (referralCode === '' || codes.has(referralCode)) return codes
  return new Map([...codes, [referralCode, resolveCodeOwner(ledger.playersWithCode(referralCode), userId)]])
}

/** Players cannot refer themselves, and a code that several other players have refers to nobody. */
function resolveCodeOwner(holders: readonly Referrer[], userId: string): CodeOwner {
  const [referrer, ...more] = holders.filter(({ referrerId }) => referrerId !== userId)
  if (referrer === undefined) return { why: 'unknown' }
  return more.length === 0 ? referrer : { why: 'shared' }
}

/** Resolves the order's referral code. `firstOrderId` is its player's first placed order; absent if there is none yet. */
export function referralCase(
  { id, referralCode }: Order,
  { codes }: EvaluationInputs,
  firstOrderId = id,
): ReferralCase {
  if (referralCode === '') return { why: 'no-code' }
  return firstOrderId === id ? codes.get(referralCode)! : { why: 'not-first' }
}

/*
 * What an order would do to its player's balance: the same computation as recording it, told beforehand (decision 139).
 */
import { localDay } from '../local-time.ts'
import { type Balance, balanceOn, dayOfView, debitOn, type Lot, lateEndsOf, lotsDrawn, type Movement } from '../lots.ts'
import type { PublishedProgram } from '../program-model.ts'
import { bookedDayAt } from '../programs.ts'
import { mostFor, paidBy, paysText, redeemedBy } from '../redeem-rules.ts'
import { NEVER, termsOf } from '../terms.ts'
import type { Day, Moment, Points } from '../units.ts'
import type { Evaluation } from './evaluate.ts'
import { heldMovements, isLiving } from './redeeming.ts'
import type { PlayerHistory } from './snapshot.ts'

/** All as of today, also for a late order; `before` is without any entry of this order. */
export type PredictedBalance = Readonly<{
  before: Spendable
  earns: Readonly<{ points: Points; usableOn: Day; expiresOn: Day }>
  redeems: Readonly<{ points: Points; pays: string; from: readonly Lot[] }>
  /** The most that this order could redeem now; absent where the program has no `redeem`. */
  redeemable?: Readonly<{ most: Points; pays: string }>
  after: Spendable & Readonly<{ lots: readonly Lot[] }>
}>

/** `available` counts what is held. */
export type Spendable = Readonly<{ available: Points; pending: Points; held: Points }>

/** `history` is that beside the order and the hold that it names. */
export function predictedBalance(
  { order, prediction, published, facts }: Pick<Evaluation, 'order' | 'prediction' | 'published' | 'facts'>,
  { movements, own, redemptions }: PlayerHistory,
  programs: readonly PublishedProgram[],
  now: Moment,
): PredictedBalance {
  const { program } = published
  const { redeem } = program
  const lateEnds = lateEndsOf(programs)
  const hold = redemptions.find(({ id }) => id === order.redemptionId)
  const living = hold !== undefined && isLiving(hold, now) ? hold : undefined
  const others = heldMovements(redemptions, now)
  const rest = heldMovements(
    redemptions.filter((one) => one !== hold),
    now,
  )
  const orderDay = localDay(order.at, program.timeZone)
  const terms = termsOf(program, order) ?? { usableOn: orderDay, expiresOn: NEVER, slides: false }
  const redeemed = redeemedBy(order)
  const drawn = own.find(({ points }) => points !== 0n)
  const day = drawn?.day ?? living?.heldOn ?? orderDay
  const debit = redeemed === 0n ? [] : [debitOn(day, redeemed)]
  const earned: Movement = { ...terms, day: orderDay, given: prediction.points, spent: 0n }
  const held = redeemed > 0n ? rest : others
  const today = dayOfView(bookedDayAt(programs, now), [...movements, ...others, ...debit])
  const view = (all: readonly Movement[]) => balanceOn(today, all, lateEnds)
  const before = view([...movements, ...others])
  const after = view([...movements, ...held, ...debit, earned])
  const pays = (points: Points) => paysText(redeem === undefined ? 0n : paidBy(points, redeem), program.money.decimals)
  const free = view([...movements, ...rest]).available
  const most = redeem && mostNow(free + redeem.overdraft, mostFor(order, facts.player, facts.prices, program), redeem)
  return {
    before: spendable(before, others),
    earns: { points: prediction.points, usableOn: terms.usableOn, expiresOn: terms.expiresOn },
    redeems: {
      points: redeemed,
      pays: pays(redeemed),
      from: debit.flatMap((one) => lotsDrawn(one, [...movements, ...held], lateEnds)),
    },
    ...(most === undefined ? {} : { redeemable: { most, pays: pays(most) } }),
    after: { ...spendable(after, held), lots: after.lots },
  }
}

function spendable({ available, pending }: Balance, holds: readonly Movement[]): Spendable {
  const held = holds.reduce((sum, { spent }) => sum + spent, 0n)
  return { available: available + held, pending, held }
}

function mostNow(
  free: Points,
  limit: ReturnType<typeof mostFor>,
  { step, least }: Readonly<{ step: Points; least: Points }>,
): Points {
  if (!('most' in limit)) return 0n
  const most = free < limit.most ? free : limit.most
  const whole = most - (most % step)
  return most < 0n || whole < least ? 0n : whole
}

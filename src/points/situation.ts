/*
 * What conditions see. These are classes only because the CEL library tells types by their constructors; they hold nothing but data.
 */
import { AMOUNT_SCALE } from './arithmetic.ts'
import { catalogueAmount, netOf, ownAmount } from './bases.ts'
import type { Catalogue, Line, Order, Player } from './model.ts'
import type { Amount, Moment, Points } from './units.ts'

export class LineFacts {
  readonly sku: string
  readonly amount: number
  readonly qty: number
  readonly price: number
  readonly known: boolean
  constructor(line: Line, catalogue: Catalogue) {
    const price = line.sku === undefined ? undefined : catalogue.get(line.sku)
    this.sku = line.sku ?? ''
    this.amount =
      Number(ownAmount(line) ?? catalogueAmount(line, catalogue) ?? 0n) / Number(AMOUNT_SCALE * AMOUNT_SCALE)
    this.qty = mainUnits(line.qty)
    this.price = mainUnits(price ?? 0n)
    this.known = price !== undefined
  }
}

export class OrderFacts {
  readonly id: string
  readonly net: number
  readonly total: number
  readonly discount: number
  readonly qty: number
  readonly referral_code: string
  readonly subscript_points: boolean
  readonly #at: Moment
  readonly lines: readonly LineFacts[]
  constructor(order: Order, lines: readonly LineFacts[]) {
    this.id = order.id
    this.net = mainUnits(netOf(order))
    this.total = mainUnits(order.total)
    this.discount = mainUnits(order.discount)
    this.qty = mainUnits(order.qty ?? order.lines.reduce((sum, line) => sum + line.qty, 0n))
    this.referral_code = order.referralCode
    this.subscript_points = order.subscriptPoints
    this.#at = order.at
    this.lines = lines
  }
  /** Created on access: few conditions ask for it. */
  get at(): Date {
    return new Date(this.#at)
  }
}

/** For an unknown player texts are empty and numbers 0. `age` is absent where no date of birth is known. */
export class PlayerFacts {
  readonly known: boolean
  readonly level: string
  readonly points: Points
  readonly earned: bigint
  readonly state: string
  readonly district: string
  readonly country: string
  readonly gender: string
  readonly orders: bigint
  declare readonly age?: bigint
  constructor(player: Player, level: string, at: Moment) {
    this.known = player.known
    this.level = level
    this.points = player.points
    this.earned = player.levelPoints
    this.state = player.region
    this.district = player.district
    this.country = player.country
    this.gender = player.gender
    this.orders = player.orders
    // Absent, not undefined: the library takes any own property for a value.
    if (player.dateOfBirth !== undefined) this.age = BigInt(ageAt(player.dateOfBirth, at))
  }
}

/** The variables of a condition. */
export type Situation = Readonly<{ order: OrderFacts; player: PlayerFacts; line?: LineFacts }>

/** All that the conditions of one order may ask for. `level` is the one held before it. */
export function situationOf(order: Order, player: Player, catalogue: Catalogue, level: string): Situation {
  const lines = order.lines.map((line) => new LineFacts(line, catalogue))
  return { order: new OrderFacts(order, lines), player: new PlayerFacts(player, level, order.at) }
}

/** Whole years from a date of birth (YYYY-MM-DD) to a moment (RFC 3339, UTC). Who was born on 29 February ages on 1 March. */
export function ageAt(dateOfBirth: string, at: Moment): number {
  const years = Number(at.slice(0, 4)) - Number(dateOfBirth.slice(0, 4))
  return at.slice(5, 10) < dateOfBirth.slice(5, 10) ? years - 1 : years
}

function mainUnits(amount: Amount): number {
  return Number(amount) / Number(AMOUNT_SCALE)
}

/*
 * The variables of conditions. These are classes only because the CEL library identifies types by their constructors; they hold plain data.
 */
import { sumAmounts } from './arithmetic.ts'
import { type AttributeTypes, valuesAs } from './attributes.ts'
import { catalogueAmount, computeNet } from './bases.ts'
import { Decimal, decimalOfAmount, decimalOfPriced } from './decimal.ts'
import { keptUnits, orderedMoney, shareOfNet } from './line-money.ts'
import { localDay } from './local-time.ts'
import type { Catalogue, Line, PaidOrder, Player } from './model.ts'
import { groupOf } from './player-groups.ts'
import type { Instant, PlainDate, Points, UserId } from './units.ts'

/** What a program says about the inputs of its conditions. */
type Surroundings = Readonly<{ timeZone: string; attributes?: AttributeTypes }>

/** The declared attributes of a line, each under its name. */
export class LineAttributeInputs {
  constructor(values: Readonly<Record<string, unknown>>) {
    Object.assign(this, values)
  }
}

/** The declared attributes of an order, each under its name. */
export class OrderAttributeInputs {
  constructor(values: Readonly<Record<string, unknown>>) {
    Object.assign(this, values)
  }
}

/** The declared attributes of a player, each under its name. */
export class PlayerAttributeInputs {
  constructor(values: Readonly<Record<string, unknown>>) {
    Object.assign(this, values)
  }
}

export class LineInputs {
  readonly sku: string
  readonly amount: Decimal
  readonly qty: Decimal
  readonly price: Decimal
  readonly known: boolean
  declare readonly attributes?: LineAttributeInputs
  constructor(line: Line, catalogue: Catalogue, types: AttributeTypes | undefined) {
    const price = line.sku === undefined ? undefined : catalogue.get(line.sku)
    this.sku = line.sku ?? ''
    this.amount =
      line.amount === undefined ? decimalOfPriced(catalogueAmount(line, catalogue) ?? 0n) : decimalOfAmount(line.amount)
    this.qty = decimalOfAmount(line.qty)
    this.price = decimalOfAmount(price ?? 0n)
    this.known = price !== undefined
    if (types !== undefined) this.attributes = new LineAttributeInputs(valuesAs(line.attributes, types.product))
  }
}

export class OrderInputs {
  readonly id: string
  readonly net: Decimal
  readonly total: Decimal
  readonly discount: Decimal
  readonly qty: Decimal
  readonly referral_code: string
  readonly subscript_points: boolean
  readonly #at: Instant
  readonly #timeZone: string
  readonly lines: readonly LineInputs[]
  declare readonly attributes?: OrderAttributeInputs
  constructor(order: PaidOrder, lines: readonly LineInputs[], { timeZone, attributes }: Surroundings) {
    this.id = order.id
    this.net = decimalOfAmount(computeNet(order))
    this.total = decimalOfAmount(order.total)
    this.discount = decimalOfAmount(order.discount)
    this.qty = decimalOfAmount(order.qty ?? order.lines.reduce((sum, line) => sum + line.qty, 0n))
    this.referral_code = order.referralCode
    this.subscript_points = order.subscriptPoints
    this.#at = order.at
    this.#timeZone = timeZone
    this.lines = lines
    if (attributes !== undefined)
      this.attributes = new OrderAttributeInputs(valuesAs(order.attributes, attributes.order))
  }
  /** Created on access: few conditions ask for it. */
  get at(): Date {
    return new Date(this.#at)
  }
  get date(): PlainDate {
    return localDay(this.#at, this.#timeZone)
  }
}

/** For an unknown player texts are empty and numbers are 0. Without a date of birth, the fields derived from it are absent. */
export class PlayerInputs {
  readonly known: boolean
  readonly level: string
  declare readonly points?: Points
  readonly earned: bigint
  readonly state: string
  readonly district: string
  readonly country: string
  readonly gender: string
  readonly orders: bigint
  declare readonly age?: bigint
  declare readonly is_birthday?: boolean
  declare readonly is_birth_month?: boolean
  declare readonly attributes?: PlayerAttributeInputs
  readonly #id: UserId | undefined
  /** `today` is the local day of the order. */
  constructor(player: Player, id: UserId, level: string, today: PlainDate, types: AttributeTypes | undefined) {
    this.#id = player.hidesId ? undefined : id
    this.known = player.known
    this.level = level
    this.earned = player.levelPoints
    this.state = player.region
    this.district = player.district
    this.country = player.country
    this.gender = player.gender
    this.orders = player.orders
    // Absent rather than undefined: the library treats any own property as a value.
    if (player.points !== undefined) this.points = player.points
    if (player.dateOfBirth !== undefined) {
      const birthday = birthdayIn(today.slice(0, 4), player.dateOfBirth)
      this.age = BigInt(ageAt(player.dateOfBirth, today))
      this.is_birthday = today === birthday
      this.is_birth_month = today.slice(0, 7) === birthday.slice(0, 7)
    }
    if (types !== undefined) this.attributes = new PlayerAttributeInputs(valuesAs(player.attributes, types.player))
  }
  /** The group of the player among `groups`, from 1. Errors: where the ID must not show. */
  group(name: string, groups: bigint): bigint {
    if (this.#id === undefined) throw new Error('groups of players are hidden')
    return groupOf(this.#id, name, groups)
  }
}

/** The lines that a condition has chosen, together. */
export class ChosenInputs {
  readonly net: Decimal
  readonly amount: Decimal
  readonly qty: Decimal
  constructor(order: PaidOrder, lines: readonly Line[], catalogue: Catalogue) {
    const { share } = shareOfNet(order, lines, catalogue)
    const amount = orderedMoney(lines, catalogue)
    this.net = new Decimal(share.num, share.den)
    this.amount = new Decimal(amount.num, amount.den)
    this.qty = decimalOfAmount(sumAmounts(lines.map(keptUnits)))
  }
}

/** The variables of a condition. */
export type ConditionContext = Readonly<{
  order: OrderInputs
  player: PlayerInputs
  line?: LineInputs
  lines?: ChosenInputs
}>

/** All variables that the conditions of an order may use. `level` is the level before the order. */
export function buildConditionContext(
  order: PaidOrder,
  player: Player,
  catalogue: Catalogue,
  level: string,
  program: Surroundings,
): ConditionContext {
  const lines = order.lines.map((line) => new LineInputs(line, catalogue, program.attributes))
  const today = localDay(order.at, program.timeZone)
  return {
    order: new OrderInputs(order, lines, program),
    player: new PlayerInputs(player, order.userId, level, today, program.attributes),
  }
}

/** Whole years from a date of birth to a day. People born on 29 February turn a year older on 1 March in common years. */
function ageAt(dateOfBirth: PlainDate, day: PlainDate): number {
  const years = Number(day.slice(0, 4)) - Number(dateOfBirth.slice(0, 4))
  return day.slice(5) < dateOfBirth.slice(5) ? years - 1 : years
}

/** The birthday in a year. In common years that of 29 February is 1 March. */
function birthdayIn(year: string, dateOfBirth: PlainDate): PlainDate {
  const birthday = `${year}-${dateOfBirth.slice(5)}`
  return birthday.endsWith('-02-29') && !isLeap(Number(year)) ? `${year}-03-01` : birthday
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

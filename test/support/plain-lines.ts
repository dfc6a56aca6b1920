/**
 * What an order earns by the money of its lines, computed slowly with fractions from plain objects. Written from
 * the documents alone (docs/program-reference.md and docs/cookbook.md), to compare the engine with.
 */

/** Numerator and denominator, which is above 0. */
export type Fraction = readonly [bigint, bigint]
type Amount = string | Fraction
type Attributes = Readonly<Record<string, unknown>>

/** A line and an order as a shop sends them. */
type Sent = { amount?: string; qty?: string; attributes?: Attributes; refunded?: string | { qty: string } }
export type PlainLine = { readonly product_sku_id: string } & Readonly<Sent>
export interface PlainOrder {
  readonly total_amount: Amount
  readonly discount: Amount
  readonly total_qty?: Amount
  readonly currency?: string
  readonly attributes?: Attributes
  readonly products: readonly PlainLine[]
}

/** What is known besides the order: the catalogue by SKU, and the attributes of the player. */
type Product = { amount: string; attributes?: Attributes }
export type PlainShop = { catalogue: Readonly<Record<string, Product>>; player: Attributes }

/** A comparison of a field, or of a field divided by another, with a number, a text or an item of a list. */
export type PlainCondition = { any: PlainCondition[] } | { not: PlainCondition } | { yes: string } | Comparison
type Comparison = { field: string; per?: string; is: Operator; value: string }
export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'has'

/** The parts of `when` are joined by &&. */
export interface PlainRule {
  readonly name: string
  readonly when: readonly PlainCondition[]
  readonly least?: string
  readonly 'per-amount'?: { points: string; every: string; of: Money; 'whole-steps': boolean }
  readonly 'per-unit'?: { points: string }
  readonly fixed?: { points: string }
  readonly multiply?: { by: string; rules?: readonly string[] }
  readonly 'at-most'?: { points: string }
}
export type Money = 'net' | 'total' | 'lines' | 'catalogue'
export type AttributeType = 'text' | 'number' | 'yes-no' | 'date' | 'texts'
type Types = Readonly<Record<string, AttributeType>>

export interface PlainProgram {
  readonly rounding: 'floor' | 'half-up' | 'ceil'
  readonly money: { decimals: number; currency?: string; rates?: Readonly<Record<string, string>> }
  readonly attributes: { readonly product: Types; readonly order: Types; readonly player: Types }
  readonly earn: readonly PlainRule[]
}

const zero: Fraction = [0n, 1n]
const one: Fraction = [1n, 1n]
const plus = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]]
const minus = (a: Fraction, b: Fraction): Fraction => plus(a, [-b[0], b[1]])
const times = (a: Fraction, b: Fraction): Fraction => [a[0] * b[0], a[1] * b[1]]
/** Divided by an amount above 0. */
const over = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1], a[1] * b[0]]
/** Above 0 if the first is larger, 0 if they are equal. */
export const compared = (a: Fraction, b: Fraction): bigint => a[0] * b[1] - b[0] * a[1]
const atLeastZero = (a: Fraction): Fraction => (a[0] < 0n ? zero : a)
const sum = (all: readonly Fraction[]): Fraction => all.reduce(plus, zero)
const floor = ([n, d]: Fraction): bigint => (n >= 0n || n % d === 0n ? n / d : n / d - 1n)
const halfUp = (a: Fraction): bigint => floor(plus(a, [1n, 2n]))

function fraction(decimal: Amount): Fraction {
  if (typeof decimal !== 'string') return decimal
  const [whole = '0', places = ''] = decimal.split('.')
  return over([BigInt(whole + places), 1n], tens(places.length))
}

const optional = <T>(text: string | undefined, of: (text: string) => T) => (text === undefined ? undefined : of(text))
const tens = (decimals: number): Fraction => [10n ** BigInt(decimals), 1n]
const rounded = (a: Fraction, decimals: number): Fraction =>
  over([halfUp(times(a, tens(decimals))), 1n], tens(decimals))

/** Reference, "Money", `currency` and `rates`: undefined if the order is refused. */
function rateOf({ money }: PlainProgram, { currency }: PlainOrder): Fraction | undefined {
  if (money.currency === undefined || currency === undefined || currency === money.currency) return one
  return optional(money.rates?.[currency], fraction)
}

/** Reference, "Money": "Each amount of an order is multiplied by the rate, then rounded to 4 decimal places." */
const converted = (rate: Fraction, amount: Amount): Fraction => rounded(times(fraction(amount), rate), 4)

/** An order in the currency of the program, with what its rules read. A line without `qty` is one unit ("Buy three"). */
function worldOf(program: PlainProgram, order: PlainOrder, shop: PlainShop, rate: Fraction) {
  const lines = order.products.map((sent) => ({
    sent,
    price: optional(shop.catalogue[sent.product_sku_id]?.amount, fraction),
    amount: optional(sent.amount, (amount) => converted(rate, amount)),
    qty: fraction(sent.qty ?? '1'),
  }))
  const [total, discount] = [converted(rate, order.total_amount), converted(rate, order.discount)]
  return { program, order, shop, rate, total, discount, lines }
}
type World = ReturnType<typeof worldOf>
type Line = World['lines'][number]

const priced = ({ price, qty }: Line): Fraction | undefined => (price === undefined ? undefined : times(price, qty))

/** Reference, "per-amount", `of: lines`: a line without an amount counts with catalogue price times `qty`, or as 0. */
const amountOf = (line: Line): Fraction => line.amount ?? priced(line) ?? zero
/** Reference, "per-amount", `of: catalogue`: a product without a price counts with its line amount, or as 0. */
const catalogueOf = (line: Line): Fraction => priced(line) ?? line.amount ?? zero
/** Reference, "Money of selected lines": the amounts of the selected and of all lines. */
const amountsOf = (lines: readonly Line[]): Fraction => sum(lines.map(amountOf))

/** Reference, "Money of selected lines": "If all line amounts are 0, so is every share." */
const partOf = (chosen: readonly Line[], all: readonly Line[]): Fraction =>
  amountsOf(all)[0] === 0n ? zero : over(amountsOf(chosen), amountsOf(all))

/** What lines cost after discount, before refunds: their part of `total_amount` less `discount`. */
const paidFor = (world: World, chosen: readonly Line[]): Fraction =>
  times(atLeastZero(minus(world.total, world.discount)), partOf(chosen, world.lines))

/** Reference, "Refunds of lines": an amount, or units "at what was paid for them", to 4 decimal places. */
function refundOf(world: World, line: Line): Fraction {
  const { refunded } = line.sent
  if (refunded === undefined) return zero
  if (typeof refunded === 'string') return converted(world.rate, refunded)
  const units = fraction(refunded.qty)
  return units[0] === 0n ? zero : rounded(times(paidFor(world, [line]), over(units, line.qty)), 4)
}

/** Reference, "per-amount", `of: net`: "`total_amount` less `discount` and refunds, at least 0". */
function netOf(world: World): Fraction {
  const refunds = sum(world.lines.map((line) => refundOf(world, line)))
  return atLeastZero(minus(minus(world.total, world.discount), refunds))
}

/** Reference, "Refunds of lines": what is left of a line; nothing if all its units were refunded. */
function leftOf(world: World, line: Line): Fraction {
  const { refunded } = line.sent
  const isReturned = typeof refunded === 'object' && refunded.qty !== '0' && compared(unitsOf([line]), zero) === 0n
  return isReturned ? zero : atLeastZero(minus(paidFor(world, [line]), refundOf(world, line)))
}

/** The same: "a refund lowers all shares in proportion beyond that, so that they add up to net". */
function shareOf(world: World, chosen: readonly Line[]): Fraction {
  const left = (lines: readonly Line[]) => sum(lines.map((line) => leftOf(world, line)))
  const all = left(world.lines)
  return all[0] === 0n ? zero : times(netOf(world), over(left(chosen), all))
}

/** Reference, "Refunds of lines": "`per-unit` and `lines.qty` do not count refunded units". */
function unitsOf(lines: readonly Line[]): Fraction {
  const returned = ({ refunded }: PlainLine) => fraction(typeof refunded === 'object' ? refunded.qty : '0')
  return sum(lines.map(({ qty, sent }) => minus(qty, returned(sent))))
}

type Value = string | boolean | Fraction | readonly string[]
/** Reference, "Attributes", the table of types: the value if it has the type, or else undefined. */
function valueOfType(type: AttributeType, value: unknown): Value | undefined {
  const bare = Array.isArray(value) ? '' : String(value)
  if (type === 'text') return typeof value === 'string' ? value : undefined
  if (type === 'number') return /^-?\d+(\.\d+)?$/.test(bare) ? fraction(bare) : undefined
  if (type === 'yes-no') return /^(true|false)$/.test(bare) ? bare === 'true' : undefined
  if (type === 'date') return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

/** Reference, "Attributes", the column "Missing": a rule that needs a missing date does not apply. */
const missing = { text: '', number: zero, 'yes-no': false, date: undefined, texts: [] } as const

/** Reference, "Attributes": "A line's own attribute wins over that of its product." */
function attributesOf(world: World, scope: string, line: Line | undefined): [Types, Attributes] {
  const { attributes } = world.program
  if (scope === 'order') return [attributes.order, world.order.attributes ?? {}]
  if (scope === 'player') return [attributes.player, world.shop.player]
  const product = world.shop.catalogue[line?.sent.product_sku_id ?? '']
  return [attributes.product, { ...product?.attributes, ...line?.sent.attributes }]
}

/** Reference, "Attributes": whether a value is of another type than declared, which has the note `attribute-type`. */
function hasOtherType(world: World): boolean {
  const isOther = (scope: string, line?: Line) => {
    const [types, values] = attributesOf(world, scope, line)
    return Object.entries(types).some(([name, type]) => name in values && valueOfType(type, values[name]) === undefined)
  }
  return isOther('order') || isOther('player') || world.lines.some((line) => isOther('line', line))
}

/** Reference, "Conditions", the table of variables: undefined where the evaluation fails. */
function fieldOf(world: World, field: string, chosen: readonly Line[], line: Line | undefined): Value | undefined {
  const [scope = '', name = '', attribute = ''] = field.split('.')
  if (name === 'attributes') {
    const [types, values] = attributesOf(world, scope, line)
    const type = types[attribute] as AttributeType
    return valueOfType(type, values[attribute]) ?? missing[type]
  }
  const { order, total, discount, lines } = world
  const qty = fraction(order.total_qty ?? sum(lines.map((each) => each.qty)))
  if (scope === 'order') return { net: netOf(world), total, discount, qty }[name]
  if (scope === 'lines') return { net: shareOf(world, chosen), amount: amountsOf(chosen), qty: unitsOf(chosen) }[name]
  if (line === undefined) throw new Error(`no line for ${field}`)
  const { sent, price } = line
  return { sku: sent.product_sku_id, amount: amountOf(line), qty: line.qty, price: price ?? zero, known: !!price }[name]
}

/** As CEL joins them: one false part decides, or else one that fails (undefined). */
const allOf = (parts: readonly (boolean | undefined)[]): boolean | undefined =>
  parts.includes(false) ? false : parts.includes(undefined) ? undefined : true
const negated = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value)

/** Reference, "Conditions": undefined where the evaluation fails: a missing date, or a division by zero. */
function holds(condition: PlainCondition, get: (field: string) => Value | undefined): boolean | undefined {
  if ('any' in condition) return negated(allOf(condition.any.map((part) => negated(holds(part, get)))))
  if ('not' in condition) return negated(holds(condition.not, get))
  if ('yes' in condition) return get(condition.yes) as boolean
  const { field, per, is, value } = condition
  const [left, divisor] = [get(field), per === undefined ? one : (get(per) as Fraction)]
  if (left === undefined || divisor[0] === 0n) return undefined
  if (is === 'has') return (left as readonly string[]).includes(value)
  const textSign = left > value ? 1n : left < value ? -1n : 0n
  const sign = typeof left === 'string' ? textSign : compared(over(left as Fraction, divisor), fraction(value))
  return { '==': !sign, '!=': !!sign, '<': sign < 0n, '<=': sign <= 0n, '>': sign > 0n, '>=': sign >= 0n }[is]
}

const isOnLine = (part: PlainCondition): boolean => JSON.stringify(part).includes('"line.')

/** Whether a rule applies, and the lines that it selects: all lines if its condition is not on `line`. */
type Choice = { applies: boolean; selects: boolean; lines: readonly Line[] }

/** Reference, "Conditions", "Lines", and "Money of selected lines" about `lines` and `least`. */
function choiceOf(world: World, rule: PlainRule): Choice {
  const onLine = rule.when.filter(isOnLine)
  const others = rule.when.filter((part) => !isOnLine(part))
  const selected = (line: Line) => allOf(onLine.map((part) => holds(part, (name) => fieldOf(world, name, [], line))))
  const results = world.lines.map(selected)
  const lines = world.lines.filter((_, index) => results[index])
  const ofOrder = others.map((part) => holds(part, (name) => fieldOf(world, name, lines, undefined)))
  const reaches = compared(shareOf(world, lines), fraction(rule.least ?? '0')) >= 0n
  const isMet = allOf(ofOrder) === true && !results.includes(undefined) // cookbook, "New products", about the latter
  const applies = isMet && reaches && (lines.length > 0 || onLine.length === 0)
  return { applies, selects: onLine.length > 0, lines }
}

/** Reference, "per-amount": the money that a rule counts. */
function moneyOf(world: World, of: Money, choice: Choice): Fraction {
  if (of === 'lines') return amountsOf(choice.lines)
  if (of === 'catalogue') return sum(choice.lines.map(catalogueOf))
  if (of === 'total') return world.total
  return choice.selects ? shareOf(world, choice.lines) : netOf(world)
}
export type Earned = { name: string; applies: boolean; points: Fraction }

/** Reference, "Rules", the table of kinds: the points of a rule that applies, after those of `earlier` rules. */
function pointsOfRule(world: World, rule: PlainRule, choice: Choice, earlier: readonly Earned[]): Fraction {
  if (rule['per-amount']) {
    const { points, every, of, 'whole-steps': whole } = rule['per-amount']
    const steps = over(moneyOf(world, of, choice), fraction(every))
    return times(fraction(points), whole ? [floor(steps), 1n] : steps)
  }
  if (rule['per-unit']) return times(fraction(rule['per-unit'].points), unitsOf(choice.lines))
  if (rule.fixed) return fraction(rule.fixed.points)
  if (rule.multiply) {
    const { by, rules } = rule.multiply
    const multiplied = earlier.filter(({ name }) => rules === undefined || rules.includes(name))
    return times(minus(fraction(by), one), sum(multiplied.map(({ points }) => points)))
  }
  const above = minus(sum(earlier.map(({ points }) => points)), fraction(rule['at-most']?.points ?? '0'))
  return minus(zero, atLeastZero(above))
}

/** What each rule earns, exactly, and whether attributes are of another type; undefined if the order is refused. */
export function earnedBy(program: PlainProgram, order: PlainOrder, shop: PlainShop) {
  const rate = rateOf(program, order)
  if (rate === undefined) return undefined
  const world = worldOf(program, order, shop, rate)
  const rules: Earned[] = []
  for (const rule of program.earn) {
    const choice = choiceOf(world, rule)
    const points = choice.applies ? pointsOfRule(world, rule, choice, rules) : zero
    rules.push({ name: rule.name, applies: choice.applies, points })
  }
  return { rules, hasOtherType: hasOtherType(world) }
}

/** Reference, "Rounding" and "An order never earns less than 0". */
export function pointsOf(program: PlainProgram, earned: readonly Earned[]): bigint {
  const exact = atLeastZero(sum(earned.map(({ points }) => points)))
  return { floor: floor(exact), 'half-up': halfUp(exact), ceil: -floor(minus(zero, exact)) }[program.rounding]
}

/** Reference, "Money of selected lines", `without_lines`: the points of the same order sent without each line. */
export function pointsWithoutLines(program: PlainProgram, order: PlainOrder, shop: PlainShop): bigint[] {
  const { lines } = worldOf(program, order, shop, rateOf(program, order) ?? one)
  return lines.map((line, index) => {
    const part = (amount: Amount) => rounded(times(fraction(amount), partOf([line], lines)), program.money.decimals)
    const less = (amount: Amount) => minus(fraction(amount), part(amount))
    const products = order.products.toSpliced(index, 1)
    const left = order.total_qty && { total_qty: atLeastZero(minus(fraction(order.total_qty), line.qty)) }
    const rest = { ...order, ...left, total_amount: less(order.total_amount), discount: less(order.discount), products }
    return pointsOf(program, earnedBy(program, rest, shop)?.rules ?? [])
  })
}

/*
 * What shops know about players, orders and their lines besides the fields of the API: attributes, whose types a program declares.
 */
import { Decimal, parseDecimal } from './decimal.ts'
import { isDay } from './local-time.ts'
import type { EvaluationInputs, Note, Order, Player } from './model.ts'
import type { AttributeSet } from './units.ts'

export const ATTRIBUTE_TYPES = ['text', 'number', 'yes-no', 'date', 'texts'] as const
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number]
const ATTRIBUTE_NAME = /^[a-z][a-z0-9_]{0,39}$/
export const ATTRIBUTE_NAMES =
  'names of 1 to 40 lower-case letters, digits and underscores, beginning with a letter, other than constructor'
/** Of a record; also the most texts in a list. */
export const ATTRIBUTES_MAX = 32

/** No attributes at all. */
export const NO_ATTRIBUTES: AttributeSet = '{}'

/** The types that a program declares, by name: those of lines (`product`), of orders and of players. */
export type AttributeTypes = Readonly<Record<'product' | 'order' | 'player', ReadonlyMap<string, AttributeType>>>

/** Whether an attribute may have this name: none that every object inherits. */
export function isAttributeName(name: string): boolean {
  return ATTRIBUTE_NAME.test(name) && !(name in {})
}

/** The text of attributes. */
export function attributeSetOf(values: Readonly<Record<string, unknown>>): AttributeSet {
  const names = Object.keys(values).sort()
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, values[name]])))
}

/** The values in a text of attributes; none without one. */
export function valuesOfSet(set: AttributeSet | undefined): Readonly<Record<string, unknown>> {
  return set === undefined ? {} : JSON.parse(set)
}

/** An attribute as text; empty if it is missing or of another type. */
export function textInSet(set: AttributeSet | undefined, name: string): string {
  const value = valuesOfSet(set)[name]
  return typeof value === 'string' ? value : ''
}

/**
 * The order with the declared attributes of its products in its lines, under those that a line has of its own; the order itself where its program declares
 * none or its products have none. Conditions and notes read the text again, so it is without those that nobody asks for.
 */
export function withProductAttributes(
  order: Order,
  { attributes }: Pick<EvaluationInputs, 'attributes'>,
  program: Readonly<{ attributes?: AttributeTypes }>,
): Order {
  if (attributes === undefined || program.attributes === undefined) return order
  const declared = [...program.attributes.product.keys()].sort()
  if (declared.length === 0) return order
  const lines = order.lines.map((line) => {
    const ofProduct = line.sku === undefined ? undefined : attributes.get(line.sku)
    if (ofProduct === undefined) return line
    const values = { ...valuesOfSet(ofProduct), ...valuesOfSet(line.attributes) }
    return { ...line, attributes: JSON.stringify(values, declared) }
  })
  return { ...order, lines }
}

/** Attributes as conditions see them: each that is declared, with what stands for a missing one. A missing date is absent, so that the rule does not apply. */
export function valuesAs(
  set: AttributeSet | undefined,
  types: ReadonlyMap<string, AttributeType>,
): Readonly<Record<string, unknown>> {
  const sent = valuesOfSet(set)
  const values: Record<string, unknown> = {}
  for (const [name, type] of types) {
    const value = valueAs(type, sent[name]) ?? MISSING[type]
    if (value !== undefined) values[name] = value
  }
  return values
}

const MISSING: Readonly<Record<AttributeType, unknown>> = {
  text: '',
  number: new Decimal(0n, 1n, 0),
  'yes-no': false,
  date: undefined,
  texts: [],
}

/** A value as its type; undefined if it is of another. Numbers and yes-no may be texts that say so, as tables have only texts. */
function valueAs(type: AttributeType, value: unknown): unknown {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'number':
      return typeof value === 'number' || typeof value === 'string' ? parseDecimal(String(value)) : undefined
    case 'yes-no':
      return typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined
    case 'date':
      return typeof value === 'string' && isDay(value) ? value : undefined
    case 'texts':
      return Array.isArray(value) ? value : undefined
    default:
      return type satisfies never
  }
}

/** A note for each attribute of an order, its lines or its player that is not of the declared type: it counts as missing. */
export function notesOnTypes(
  { attributes, lines }: Order,
  player: Pick<Player, 'attributes'>,
  types: AttributeTypes,
): Note[] {
  return [
    ...wrongTypes(attributes, types.order).map((text) => noteOn(`attribute ${text}`)),
    ...wrongTypes(player.attributes, types.player).map((text) => noteOn(`attribute ${text} of the player`)),
    ...lines.flatMap((line, index) =>
      wrongTypes(line.attributes, types.product).map((text) => ({
        ...noteOn(`attribute ${text} of line ${index}`),
        ...{ line: index, ...(line.sku === undefined ? {} : { sku: line.sku }) },
      })),
    ),
  ]
}

function noteOn(what: string): Note {
  return { kind: 'attribute-type', text: `${what} is of another type than the program declares: it counts as missing` }
}

function wrongTypes(set: AttributeSet | undefined, types: ReadonlyMap<string, AttributeType>): string[] {
  if (set === undefined) return []
  const sent = valuesOfSet(set)
  return [...types].flatMap(([name, type]) =>
    Object.hasOwn(sent, name) && valueAs(type, sent[name]) === undefined ? [name] : [],
  )
}

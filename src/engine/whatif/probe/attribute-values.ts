/*
 * Attributes to try for a rule: the values that its condition names, and one beside each.
 */
import { amountText, parseAmount } from '../../points/arithmetic.ts'
import { type AttributeType, attributeSetOf } from '../../points/attributes.ts'
import { dayAfter } from '../../points/calendar.ts'
import type { AttributeMention } from '../../points/condition-literals.ts'
import { isDay } from '../../points/local-time.ts'
import type { AttributeSet } from '../../points/units.ts'

type Value = string | number | boolean | readonly string[]

/** Of an attribute, and of the sets for a rule. */
const VALUES_MAX = 12
const SETS_MAX = 40

/**
 * The sets for the attributes that a condition mentions, without the empty one: every combination of their values, absence among them. Where these are more
 * than SETS_MAX, the first value of each together, and with any other of one of them.
 */
export function attributeSetsFor(
  mentions: readonly AttributeMention[],
  types: ReadonlyMap<string, AttributeType>,
): AttributeSet[] {
  const named = Map.groupBy(mentions, ({ name }) => name)
  const attributes = [...named].flatMap(([name, all]) => {
    const type = types.get(name)
    return type === undefined ? [] : [{ name, values: valuesFor(type, all).slice(0, VALUES_MAX) }]
  })
  const combinations = attributes.reduce((count, { values }) => count * (values.length + 1), 1)
  const first: Record<string, Value> = Object.fromEntries(attributes.map(({ name, values }) => [name, values[0]!]))
  let sets: Record<string, Value>[] = [{}]
  if (combinations <= SETS_MAX)
    for (const { name, values } of attributes)
      sets = sets.flatMap((set) => [set, ...values.map((value) => ({ ...set, [name]: value }))])
  else
    sets = [
      first,
      ...attributes.flatMap(({ name, values }) => values.slice(1).map((value) => ({ ...first, [name]: value }))),
    ]
  return [...new Set(sets.slice(0, SETS_MAX + 1).map(attributeSetOf))].filter((set) => set !== '{}')
}

/** The values of an attribute, at least one: those that conditions name first. */
function valuesFor(type: AttributeType, mentions: readonly AttributeMention[]): Value[] {
  const texts = [...new Set(mentions.flatMap((mention) => mention.texts))].filter((text) => text !== '')
  switch (type) {
    case 'text':
      return [...texts, otherThan(texts)]
    case 'texts':
      return [...texts.map((text) => [text]), ...(texts.length > 1 ? [texts] : []), [otherThan(texts)]]
    case 'yes-no':
      return [true, false]
    case 'number':
      return numbersAround(mentions)
    case 'date': {
      const days = texts.filter(isDay)
      return days.length === 0 ? [STARTS_ON] : days.flatMap((day) => [day, dayAfter(day, -1), dayAfter(day, 1)])
    }
    default:
      return type satisfies never
  }
}

/** A date for conditions that name none. */
const STARTS_ON = '2026-01-01'

function otherThan(texts: readonly string[]): string {
  const other = ['other', 'another', 'none of these'].find((text) => !texts.includes(text))
  return other ?? `${texts.join(' ').slice(0, 100)} other`
}

/** Each number, and those just below and above it, with the four decimals that an attribute may have. */
function numbersAround(mentions: readonly AttributeMention[]): number[] {
  const named = mentions.flatMap(({ numbers }) => numbers).flatMap((number) => parseAmount(String(number)) ?? [])
  const around = [...new Set(named)]
    .flatMap((number) => [number, number - 1n, number + 1n])
    .filter((number) => number >= 0n)
  return around.length === 0 ? [1] : [...new Set(around)].map((number) => Number(amountText(number)))
}

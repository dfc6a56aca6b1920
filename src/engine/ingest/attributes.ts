/*
 * Attributes as they are sent: an object of texts, numbers, booleans, dates as texts, and lists of texts.
 */
import { ATTRIBUTE_NAMES, ATTRIBUTES_MAX, attributeSetOf, isAttributeName } from '../points/attributes.ts'
import { Type } from '../points/json-schema.ts'
import type { AttributeSet } from '../points/units.ts'
import { text } from './fields.ts'
import { NESTING_MAX, nestingOf } from './nesting.ts'
import { type Field, InvalidValue } from './record.ts'

const TEXT_MAX = 200
const NUMBER = /^-?\d{1,11}(\.\d{1,4})?$/
const VALUES = 'a string, a number with at most 4 decimal places, a boolean or an array of strings'
const ATTRIBUTE_VALUE = Type.Union([
  Type.String({ maxLength: TEXT_MAX }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.String({ maxLength: TEXT_MAX }), { maxItems: ATTRIBUTES_MAX }),
])

/** Attributes of at most so many bytes as JSON. Anything but an object is ignored: undefined, as where none are sent. */
export function attributesField(bytesMax: number): Field<AttributeSet | undefined> {
  return {
    schema: Type.Unsafe({
      ...{ type: 'object', maxProperties: ATTRIBUTES_MAX, additionalProperties: ATTRIBUTE_VALUE },
      description: `at most ${ATTRIBUTES_MAX} attributes, ${bytesMax} bytes as JSON; anything but an object is ignored`,
    }),
    read: (sent) => {
      const value = typeof sent === 'string' ? parsed(sent) : sent
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
      const names = Object.keys(value)
      if (names.length > ATTRIBUTES_MAX) throw new InvalidValue(`at most ${ATTRIBUTES_MAX} attributes`, names.length)
      const read: Record<string, unknown> = {}
      for (const name of names) {
        if (!isAttributeName(name)) throw new InvalidValue(ATTRIBUTE_NAMES, name)
        const one = readAttribute((value as Readonly<Record<string, unknown>>)[name])
        if (one !== null) read[name] = one
      }
      const set = attributeSetOf(read)
      const bytes = new TextEncoder().encode(set).length
      if (bytes > bytesMax) throw new InvalidValue(`attributes of at most ${bytesMax} bytes as JSON`, bytes)
      return set
    },
  }
}

/** Exports write attributes as the JSON of an object; any other text is ignored like it. */
function parsed(text: string): unknown {
  if (!text.startsWith('{') || nestingOf(text) > NESTING_MAX) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A value; null is the same as its absence. */
function readAttribute(value: unknown): string | number | boolean | readonly string[] | null {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return attributeText(value)
  if (typeof value === 'number' && NUMBER.test(String(value))) return value === 0 ? 0 : value
  if (!Array.isArray(value)) throw new InvalidValue(VALUES, value)
  if (value.length > ATTRIBUTES_MAX)
    throw new InvalidValue(`at most ${ATTRIBUTES_MAX} strings in an attribute`, value.length)
  return value.map(attributeText)
}

function attributeText(value: unknown): string {
  const read = text.read(value)
  if (read.length > TEXT_MAX && [...read].length > TEXT_MAX)
    throw new InvalidValue(`a string of at most ${TEXT_MAX} characters`, value)
  return read
}

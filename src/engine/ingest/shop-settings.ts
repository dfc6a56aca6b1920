/*
 * The settings of a shop: facts about the shop and its customers, shared by all processes (decision 70).
 * With the defaults, everything is as the specification says.
 */
import type { TSchema } from 'typebox'
import { InvalidInput } from '../../errors.ts'
import { amountText, parseRatio } from '../points/arithmetic.ts'
import { Type } from '../points/json-schema.ts'
import { currencyCode } from './currency-code.ts'
import { type DateForm, decimal, oneOf } from './fields.ts'
import { type Field, InvalidValue } from './record.ts'
import { FOREVER, NEVER_ERASED, periodOrNever, retention } from './retention.ts'
import { shortened } from './shown.ts'

type ShopSetting<T> = Readonly<{ fallback: T; about: string; field: Field<T> }>

/** The required fields of a player that a shop may waive, as spelled on the wire. */
const WAIVABLE = ['Name', 'DOB', 'Gender', 'State', 'Pincode', 'Country', 'Refercode'] as const
export type WaivableField = (typeof WAIVABLE)[number]

const DATES: Readonly<Record<string, readonly DateForm[]>> = {
  'DD-MM-YYYY': ['DD-MM-YYYY'],
  'DD-MM-YYYY,YYYY-MM-DD': ['DD-MM-YYYY', 'YYYY-MM-DD'],
}

const GENDERS_MAX = 20
const GENDER_LENGTH_MAX = 50

const pointValue: Field<string> = {
  schema: Type.String(),
  read: (value) => {
    const amount = decimal.read(value)
    if (amount === 0n) throw new InvalidValue('the value of a point, like 0.01', value)
    return amountText(amount)
  },
}

const POINT_WORTH = /^\d{1,15}(\.\d{1,9})?$/

/** What a point is worth in a report, instead of the setting: a decimal as text, so that every cost is exact. */
export const pointWorth: Field<string> = {
  schema: Type.String({ pattern: POINT_WORTH.source }),
  read: (value) => {
    if (typeof value === 'string' && POINT_WORTH.test(value) && parseRatio(value) !== undefined) return value
    throw new InvalidValue('the value of a point as a string, like 0.01', value)
  },
}

const requiredFields: Field<readonly WaivableField[]> = {
  schema: Type.Array(Type.Enum([...WAIVABLE], { type: 'string' })),
  read: (value) => {
    const listed: readonly unknown[] = listOf(value) ?? [undefined]
    if (listed.every((one) => WAIVABLE.some((name) => name === one)))
      return WAIVABLE.filter((name) => listed.includes(name))
    throw new InvalidValue(`any of ${WAIVABLE.join(', ')}`, value)
  },
}

const genders: Field<readonly string[]> = {
  schema: Type.Array(Type.String({ minLength: 1, maxLength: GENDER_LENGTH_MAX }), {
    minItems: 1,
    maxItems: GENDERS_MAX,
  }),
  read: (value) => {
    const listed = listOf(value) ?? []
    if (listed.length > 0 && listed.length <= GENDERS_MAX && listed.every(isGender)) return [...new Set(listed)]
    throw new InvalidValue(
      `1 to ${GENDERS_MAX} genders like female,male,diverse, each of 1 to ${GENDER_LENGTH_MAX} characters`,
      value,
    )
  },
}

const dates: Field<readonly DateForm[]> = {
  schema: Type.Array(Type.String()),
  read: (value) => {
    const forms = DATES[(listOf(value) ?? []).toSorted().join(',')]
    if (forms !== undefined) return forms
    throw new InvalidValue('DD-MM-YYYY, or DD-MM-YYYY,YYYY-MM-DD for both', value)
  },
}

/** A list, or a comma-separated text from the command line, as a list; undefined for anything else. */
function listOf(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value === '' ? [] : value.split(',').map((one) => one.trim())
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}

function isGender(text: string): boolean {
  return text.trim() !== '' && text.length <= GENDER_LENGTH_MAX && text.isWellFormed() && !/[\p{Cc}\\]/u.test(text)
}

const setting = <T>(fallback: T, about: string, field: Field<T>): ShopSetting<T> => ({ fallback, about, field })

export const SHOP_SETTINGS = {
  'money.currency': setting<string | null>(
    null,
    'currency of amounts shown where the program has no money.currency',
    currencyCode,
  ),
  'money.point-value': setting<string | null>(null, 'the value of a point, for the cost of programs', pointValue),
  'players.required': setting<readonly WaivableField[]>(
    WAIVABLE,
    'required player fields; all others are optional',
    requiredFields,
  ),
  'players.genders': setting<readonly string[]>(['male', 'female'], 'allowed values of Gender', genders),
  'players.pincode': setting<'digits' | 'text'>('digits', 'format of Pincode', oneOf(['digits', 'text'])),
  'players.phone': setting<'digits' | 'lenient'>(
    'digits',
    'format of Phone; lenient ignores blanks, dots, brackets and hyphens',
    oneOf(['digits', 'lenient']),
  ),
  'players.dates': setting<readonly DateForm[]>(['DD-MM-YYYY'], 'formats of DOB', dates),
  'players.erase-after': setting(NEVER_ERASED, 'players without activity for so long are erased', periodOrNever),
  'audit-log.keep': setting(FOREVER, 'how long entries of the audit log are kept', retention),
  'sources.keep': setting('P400D', 'how long counts of sources and their refusals are kept', retention),
} as const

export type ShopSettingKey = keyof typeof SHOP_SETTINGS
type ValueOf<Setting> = Setting extends ShopSetting<infer T> ? T : never

/** The values in effect of all settings of the shop. */
export type ShopSettings = { readonly [Key in ShopSettingKey]: ValueOf<(typeof SHOP_SETTINGS)[Key]> }
export type ShopSettingValue = ShopSettings[ShopSettingKey]

export const SHOP_SETTING_KEYS = Object.keys(SHOP_SETTINGS) as ShopSettingKey[]

/** The defaults, overridden by the given settings. */
export function shopSettingsWith(changed: Partial<ShopSettings>): ShopSettings {
  const defaults = Object.fromEntries(SHOP_SETTING_KEYS.map((key) => [key, SHOP_SETTINGS[key].fallback]))
  return Object.freeze({ ...defaults, ...changed }) as ShopSettings
}

/** The settings of a shop that has not changed any. */
export const SHOP_DEFAULTS = shopSettingsWith({})

/** Changes to settings; null resets one to its default. */
export type ShopChanges = Readonly<Partial<Record<ShopSettingKey, ShopSettingValue | null>>>

/** The JSON Schema of changes to settings. */
export function shopChangesSchema(): TSchema {
  const properties = SHOP_SETTING_KEYS.map((key) => {
    const { about, field } = SHOP_SETTINGS[key]
    return [key, Type.Optional(Type.Union([field.schema, Type.Null()], { description: about }))] as const
  })
  return Type.Object(Object.fromEntries(properties), {
    title: 'ShopChanges',
    description: 'Settings by key; null resets one to its default',
    additionalProperties: false,
  })
}

/**
 * Reads changes to settings by key. An unknown key is refused, not ignored as other unknown fields are, as a misspelt one would seem to have taken
 * effect. Lists may be comma-separated texts. Errors: InvalidInput for the first invalid change.
 */
export function readShopChanges(data: unknown, path: string): ShopChanges {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new InvalidInput(path, 'expected an object of settings by key')
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, readShopChange(key, value, path)]))
}

/** The settings in effect, as the service lists them; those that are unknown here are left out. Errors: InvalidInput. */
export function listedShopSettings(listed: readonly Readonly<{ key: string; value: unknown }>[]): ShopSettings {
  const supported = listed.filter(({ key, value }) => isShopSettingKey(key) && value !== null)
  const changes = readShopChanges(Object.fromEntries(supported.map(({ key, value }) => [key, value])), 'settings')
  return shopSettingsWith(changes as Partial<ShopSettings>)
}

function readShopChange(key: string, value: unknown, path: string): ShopSettingValue | null {
  if (!isShopSettingKey(key))
    throw new InvalidInput(
      `${path}.${shortened(key)}`,
      `unknown setting, expected one of ${SHOP_SETTING_KEYS.join(', ')}`,
    )
  if (value === null) return null
  try {
    return SHOP_SETTINGS[key].field.read(value)
  } catch (error) {
    if (error instanceof InvalidValue) throw new InvalidInput(`${path}.${key}`, error.message)
    throw error
  }
}

export function isShopSettingKey(key: string): key is ShopSettingKey {
  return Object.hasOwn(SHOP_SETTINGS, key)
}

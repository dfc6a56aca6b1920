/*
 * Which settings would have accepted a skipped record, judged by the service's own readers under those settings.
 */

import type { DateForm } from '../../engine/ingest/fields.ts'
import { readOrder, tooManyDecimals } from '../../engine/ingest/order.ts'
import { playerFields } from '../../engine/ingest/player.ts'
import { readRecord } from '../../engine/ingest/record.ts'
import {
  SHOP_SETTINGS,
  type ShopSettings,
  shopSettingsWith,
  type WaivableField,
} from '../../engine/ingest/shop-settings.ts'
import { InvalidInput } from '../../errors.ts'
import type { RecordIssue } from './collect-field-issues.ts'

/** One change of one setting: what a list loses or gains, or what a value becomes. */
export type SettingChange =
  | Readonly<{ setting: 'players.required'; without: WaivableField }>
  | Readonly<{ setting: 'players.genders'; with: string }>
  | Readonly<{ setting: 'players.pincode' | 'players.phone' | 'players.dates'; value: string }>
  /** Of the program, and not of the shop (decision 69). */
  | Readonly<{ setting: 'money.decimals'; value: number }>

/** The fewest changes that would make a record valid; undefined if none would. `issues` are those for which it was skipped. */
export type FindChanges = (record: unknown, issues: readonly RecordIssue[]) => readonly SettingChange[] | undefined

const BOTH_DATES: readonly DateForm[] = ['DD-MM-YYYY', 'YYYY-MM-DD']

/** The settings of a shop after changes. */
export function shopAfter(shop: ShopSettings, changes: readonly SettingChange[]): ShopSettings {
  const removed = changes.flatMap((change) => (change.setting === 'players.required' ? [change.without] : []))
  const added = changes.flatMap((change) => (change.setting === 'players.genders' ? [change.with] : []))
  const has = (setting: SettingChange['setting']) => changes.some((change) => change.setting === setting)
  return shopSettingsWith({
    ...shop,
    'players.required': shop['players.required'].filter((wire) => !removed.includes(wire)),
    'players.genders': [...new Set([...shop['players.genders'], ...added])],
    ...(has('players.pincode') ? { 'players.pincode': 'text' } : {}),
    ...(has('players.phone') ? { 'players.phone': 'lenient' } : {}),
    ...(has('players.dates') ? { 'players.dates': BOTH_DATES } : {}),
  })
}

/**
 * Finds changes for players of a shop. No setting concerns two fields except `players.required`, which names them, so each field is judged
 * by itself. Genders are added as long as the setting can hold them all.
 */
export function createPlayerChanges(shop: ShopSettings, now: Date): FindChanges {
  const present = playerFields(now, shop)
  const cache = new Map<string, ReturnType<typeof playerFields>>()
  const genders = [...shop['players.genders']]
  const fieldsAfter = (change: SettingChange) => {
    const key = JSON.stringify(change)
    const fields = cache.get(key) ?? playerFields(now, shopAfter(shop, [change]))
    cache.set(key, fields)
    return fields
  }
  const canAdd = (gender: string) => genders.includes(gender) || isListed(gender, [...genders, gender])
  return (record) => {
    const changes: SettingChange[] = []
    for (const name of Object.keys(present) as (keyof typeof present)[]) {
      if (isRead(present, name, record)) continue
      const change = changeFor(present[name].wire, valueIn(record, present[name].wire), canAdd)
      if (change === undefined || !isRead(fieldsAfter(change), name, record)) return undefined
      changes.push(change)
    }
    for (const change of changes)
      if (change.setting === 'players.genders' && !genders.includes(change.with)) genders.push(change.with)
    return changes.length === 0 ? undefined : changes
  }
}

/** The change of a setting that may accept this value of a field. */
function changeFor(wire: string, value: unknown, canAdd: (gender: string) => boolean): SettingChange | undefined {
  const isAbsent = value === undefined || value === null || value === ''
  if (isAbsent) return { setting: 'players.required', without: wire as WaivableField }
  if (wire === 'Pincode') return { setting: 'players.pincode', value: 'text' }
  if (wire === 'Phone') return { setting: 'players.phone', value: 'lenient' }
  if (wire === 'DOB') return { setting: 'players.dates', value: BOTH_DATES.join() }
  const isGender = wire === 'Gender' && typeof value === 'string' && canAdd(value)
  return isGender ? { setting: 'players.genders', with: value } : undefined
}

/** Whether `laurel settings set` accepts this list of genders, with this one in it. */
function isListed(gender: string, genders: readonly string[]): boolean {
  try {
    return SHOP_SETTINGS['players.genders'].field.read(genders.join()).includes(gender)
  } catch {
    return false
  }
}

function isRead(fields: ReturnType<typeof playerFields>, name: keyof typeof fields, record: unknown): boolean {
  try {
    readRecord({ [name]: fields[name] }, record, '')
    return true
  } catch (error) {
    if (error instanceof InvalidInput) return false
    throw error
  }
}

function valueIn(record: unknown, wire: string): unknown {
  return typeof record === 'object' && record !== null ? (record as Record<string, unknown>)[wire] : undefined
}

/** Finds the decimals that an order needs, if it was skipped for no other reason (decision 69). */
export function createOrderChanges(now: Date): FindChanges {
  return (record, issues) => {
    try {
      const { total, discount, decimals } = readOrder(record, '', now)
      if (decimals === undefined) return undefined
      const sentences = [tooManyDecimals(total, decimals.total), tooManyDecimals(discount, decimals.discount)]
      const isAboutDecimals = issues.length > 0 && issues.every(({ error }) => sentences.includes(error))
      // As the sentence suggests.
      const value = Math.max(2, decimals.total, decimals.discount)
      return isAboutDecimals ? [{ setting: 'money.decimals', value }] : undefined
    } catch (error) {
      if (error instanceof InvalidInput) return undefined
      throw error
    }
  }
}

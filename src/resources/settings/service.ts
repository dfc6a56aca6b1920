/*
 * The settings of the shop: loaded, cached, shown and changed.
 */

import { isDeepStrictEqual } from 'node:util'
import { changeAndRecord } from '../../audit-log/record-acts.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { Deps } from '../../deps.ts'
import {
  isShopSettingKey,
  readShopChanges,
  SHOP_DEFAULTS,
  SHOP_SETTING_KEYS,
  SHOP_SETTINGS,
  type ShopSettingKey,
  type ShopSettings,
  type ShopSettingValue,
  shopSettingsWith,
} from '../../engine/ingest/shop-settings.ts'
import { InvalidInput, OperatorError } from '../../errors.ts'
import {
  deleteShopSettings,
  lockShopSettings,
  type StoredSetting,
  selectShopSettings,
  upsertShopSettings,
} from './store.ts'

/** The shop's settings. Errors: OperatorError if one cannot be read; Unavailable. */
export async function loadShopSettings(db: Db, deadlineAt: number): Promise<ShopSettings> {
  return readShopSettings(readerOf(db, deadlineAt))
}

/** The same, read within the caller's transaction or snapshot. Errors: OperatorError if one cannot be read. */
export async function readShopSettings(db: Queryable): Promise<ShopSettings> {
  return shopSettingsIn(await selectShopSettings(db))
}

/**
 * The stored settings, with defaults for the others. Unknown ones, from a later version of Laurel, are ignored.
 * Errors: OperatorError if a value cannot be read, as all were checked when set.
 */
function shopSettingsIn(stored: readonly StoredSetting[]): ShopSettings {
  const supported = stored.filter(({ key }) => isShopSettingKey(key))
  const values = Object.fromEntries(supported.map(({ key, value }) => [key, JSON.parse(value) as unknown]))
  try {
    return shopSettingsWith(readShopChanges(values, 'settings') as Partial<ShopSettings>)
  } catch (error) {
    if (error instanceof InvalidInput)
      throw new OperatorError(`${error.path} in the database cannot be read: ${error.message}`)
    throw error
  }
}

/** The shop's settings, in memory, so that no request has to query for them. */
export type ShopCache = Readonly<{
  current: () => ShopSettings
  /** Reloads the settings. Errors: Unavailable, OperatorError; the cache is then unchanged. */
  refresh: (deadlineAt: number) => Promise<void>
}>

/** Creates a cache that holds the defaults until its first refresh. */
export function createShopCache(db: Db): ShopCache {
  let shop = SHOP_DEFAULTS
  return {
    current: () => shop,
    refresh: async (deadlineAt) => {
      shop = await loadShopSettings(db, deadlineAt)
    },
  }
}

/** A setting in effect; `changed` says when (RFC 3339) and by which token it was set, undefined if it has its default. */
export type ShownSetting = Readonly<{
  key: ShopSettingKey
  value: ShopSettingValue
  fallback: ShopSettingValue
  about: string
  changed: Readonly<{ at: string; by: string }> | undefined
}>

/** All settings of the shop, read from the database. Errors: OperatorError; Unavailable. */
export async function showSettings({ db }: Pick<Deps, 'db'>, deadlineAt: number): Promise<ShownSetting[]> {
  const stored = await selectShopSettings(readerOf(db, deadlineAt))
  const shop = shopSettingsIn(stored)
  const changes = new Map(stored.map(({ key, changed_at: at, changed_by: by }) => [key, { at, by }]))
  return SHOP_SETTING_KEYS.map((key) => {
    const { fallback, about } = SHOP_SETTINGS[key]
    return { key, value: shop[key], fallback, about, changed: changes.get(key) }
  })
}

/**
 * Changes the settings named in `data` and leaves the others; null resets one to its default. `data` is unvalidated input; `by` is the id of
 * the caller's token. Errors: InvalidInput for the first invalid one, with nothing changed; Unavailable. Source: decision 70
 */
export async function changeSettings(
  { db, now, observe }: Pick<Deps, 'db' | 'now' | 'observe'>,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<void> {
  const changes = readShopChanges(data, 'data')
  const at = now().toISOString()
  await changeAndRecord(db, { act: 'settings-changed', at, deadlineAt }, async (tx) => {
    await lockShopSettings(tx)
    const stored = new Map((await selectShopSettings(tx)).map(({ key, value }) => [key, value]))
    const isNew = ([key, value]: readonly [string, unknown]) =>
      value === null ? stored.has(key) : !isDeepStrictEqual(JSON.parse(stored.get(key) ?? 'null'), value)
    const changed = Object.entries(changes).filter(isNew)
    const set = changed.flatMap(([key, value]) => (value === null ? [] : [{ key, value: JSON.stringify(value) }]))
    const reset = changed.flatMap(([key, value]) => (value === null ? [key] : []))
    await upsertShopSettings(tx, set, at, by)
    await deleteShopSettings(tx, reset)
    const record = { by, subject: changed.map(([key]) => key).join(), detail: Object.fromEntries(changed) }
    return { response: undefined, record: changed.length > 0 ? record : undefined }
  })
  observe({ kind: 'settings-changed', changes, by })
}

/** What the housekeeping would do if a setting changed: delete so many rows, or erase so many players, the first of them by id. */
export type SettingEffect = Readonly<{ count: number; players?: readonly string[] }>

/** Finds the effect of a value of a setting; settings that delete nothing have none. Errors: Unavailable. */
export type SettingEffects = Readonly<{
  [Key in ShopSettingKey]?: (value: ShopSettings[Key], deadlineAt: number) => Promise<SettingEffect>
}>

type PreviewedSettings = Readonly<{
  settings: readonly ShownSetting[]
  effects: readonly (SettingEffect & Readonly<{ key: ShopSettingKey }>)[]
}>

/** The settings as `changeSettings` would leave them, and what would follow; changes nothing. Errors: as for `changeSettings`. */
export async function previewSettings(
  deps: Pick<Deps, 'db'>,
  data: unknown,
  effects: SettingEffects,
  deadlineAt: number,
): Promise<PreviewedSettings> {
  const changes = readShopChanges(data, 'data')
  const shown = await showSettings(deps, deadlineAt)
  const settings = shown.map((setting) => {
    const change = changes[setting.key]
    return change === undefined ? setting : { ...setting, value: change ?? setting.fallback }
  })
  const previewed: PreviewedSettings['effects'][number][] = []
  for (const { key, value } of settings) {
    const effectOf = changes[key] === undefined ? undefined : effects[key]
    if (effectOf !== undefined) previewed.push({ key, ...(await effectOf(value as never, deadlineAt)) })
  }
  return { settings, effects: previewed }
}

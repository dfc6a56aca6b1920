import {
  SHOP_SETTING_KEYS,
  SHOP_SETTINGS,
  type ShopSettingKey,
  type ShopSettingValue,
} from '../ingest/shop-settings.ts'
import { readerOf } from '../store/db/reader.ts'
import { selectShopSettings } from '../store/settings.ts'
import type { Deps } from './deps.ts'
import { shopSettingsIn } from './settings/stored-settings.ts'

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

import { readerOf } from '../../database/db/reader.ts'
import {
  SHOP_SETTING_KEYS,
  SHOP_SETTINGS,
  type ShopSettingKey,
  type ShopSettingValue,
} from '../../engine/ingest/shop-settings.ts'
import type { Deps } from '../../shared/deps.ts'
import { shopSettingsIn } from './service.ts'
import { selectShopSettings } from './store.ts'

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

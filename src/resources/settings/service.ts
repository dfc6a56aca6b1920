import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import {
  isShopSettingKey,
  readShopChanges,
  type ShopSettings,
  shopSettingsWith,
} from '../../engine/ingest/shop-settings.ts'
import { InvalidInput, OperatorError } from '../../errors.ts'
import { type StoredSetting, selectShopSettings } from './store.ts'

/** The shop's settings. Errors: OperatorError if one cannot be read; Unavailable. */
export async function loadShopSettings(db: Db, deadlineAt: number): Promise<ShopSettings> {
  return shopSettingsIn(await selectShopSettings(readerOf(db, deadlineAt)))
}

/**
 * The stored settings, with defaults for the others. Unknown ones, from a later version of Laurel, are ignored.
 * Errors: OperatorError if a value cannot be read, as all were checked when set.
 */
export function shopSettingsIn(stored: readonly StoredSetting[]): ShopSettings {
  const known = stored.filter(({ key }) => isShopSettingKey(key))
  const values = Object.fromEntries(known.map(({ key, value }) => [key, JSON.parse(value) as unknown]))
  try {
    return shopSettingsWith(readShopChanges(values, 'settings') as Partial<ShopSettings>)
  } catch (error) {
    if (error instanceof InvalidInput)
      throw new OperatorError(`${error.path} in the database cannot be read: ${error.message}`)
    throw error
  }
}

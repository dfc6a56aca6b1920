import { InvalidInput, OperatorError } from '../../errors.ts'
import { isShopSettingKey, readShopChanges, type ShopSettings, shopSettingsWith } from '../../ingest/shop-settings.ts'
import { readerOf } from '../../store/db/reader.ts'
import type { Db } from '../../store/db/transaction.ts'
import { type StoredSetting, selectShopSettings } from '../../store/settings.ts'

/** The settings of the shop. Errors: OperatorError where one cannot be read; Unavailable. */
export async function loadShopSettings(db: Db, deadlineAt: number): Promise<ShopSettings> {
  return shopSettingsIn(await selectShopSettings(readerOf(db, deadlineAt)))
}

/**
 * The settings that are stored, and for others the defaults. One of a later Laurel is none of ours.
 * Errors: OperatorError where a value cannot be read, as all were checked when they were set.
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

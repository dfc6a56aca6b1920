import { SHOP_DEFAULTS, type ShopSettings } from '../../ingest/shop-settings.ts'
import type { Db } from '../../store/db/transaction.ts'
import { loadShopSettings } from './stored-settings.ts'

/** The settings of the shop, in memory, so that no request pays a query for them. */
export type ShopCache = Readonly<{
  current: () => ShopSettings
  /** Errors: Unavailable, OperatorError; then what was known stays. */
  refresh: (deadlineAt: number) => Promise<void>
}>

/** A cache of the defaults until its first refresh. */
export function createShopCache(db: Db): ShopCache {
  let shop = SHOP_DEFAULTS
  return {
    current: () => shop,
    refresh: async (deadlineAt) => {
      shop = await loadShopSettings(db, deadlineAt)
    },
  }
}

import type { Db } from '../../database/db/transaction.ts'
import { SHOP_DEFAULTS, type ShopSettings } from '../../engine/ingest/shop-settings.ts'
import { loadShopSettings } from './service.ts'

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

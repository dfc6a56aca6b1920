import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'

/** A shop setting that differs from its default; `value` is JSON. */
export type StoredSetting = Readonly<{ key: string; value: string; changed_at: string; changed_by: string }>

const listSql = sqlFile(import.meta.url, 'settings-list')
const upsertSql = sqlFile(import.meta.url, 'settings-upsert')
const deleteSql = sqlFile(import.meta.url, 'settings-delete')

/** The settings that differ from their defaults. */
export async function selectShopSettings(db: Queryable): Promise<StoredSetting[]> {
  return db.query<StoredSetting>(listSql)
}

/** Prevents other transactions from changing settings until this one ends. */
export async function lockShopSettings(tx: Queryable): Promise<void> {
  await tx.query('lock table settings in share row exclusive mode')
}

/** Sets settings; each key must occur once, `at` is RFC 3339, `by` the id of a token. */
export async function upsertShopSettings(
  tx: Queryable,
  changed: readonly Pick<StoredSetting, 'key' | 'value'>[],
  at: string,
  by: string,
): Promise<void> {
  await tx.query(upsertSql, [changed.map(({ key }) => key), changed.map(({ value }) => value), at, by])
}

/** Resets settings to their defaults. Returns how many had been set. */
export async function deleteShopSettings(tx: Queryable, keys: readonly string[]): Promise<number> {
  return (await tx.query(deleteSql, [keys])).length
}

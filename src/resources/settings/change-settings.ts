import { readShopChanges } from '../../engine/ingest/shop-settings.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import type { Deps } from '../../shared/deps.ts'
import { deleteShopSettings, lockShopSettings, upsertShopSettings } from './store.ts'

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
  const entries = Object.entries(changes)
  const set = entries.flatMap(([key, value]) => (value === null ? [] : [{ key, value: JSON.stringify(value) }]))
  const reset = entries.flatMap(([key, value]) => (value === null ? [key] : []))
  const at = now().toISOString()
  const writeAct = prepareAct('settings-changed', { at, by })
  await db.transaction(async (tx) => {
    await lockShopSettings(tx)
    await upsertShopSettings(tx, set, at, by)
    await deleteShopSettings(tx, reset)
    await writeAct(tx, Object.keys(changes).join(), changes)
  }, deadlineAt)
  observe({ kind: 'settings-changed', changes, by })
}

/*
 * The attributes of products. A set never changes under its digest, so that what was read once is known for good.
 */
import { hash } from 'node:crypto'
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { AttributeSet } from '../engine/points/units.ts'

const setsSql = sqlFile(import.meta.url, 'attribute-sets')

/** At most 2 KB each. */
const KEPT_MAX = 10_000
const kept = new Map<string, AttributeSet>()

/** The digest under which a set is stored. */
export function digestOfSet(set: AttributeSet): string {
  return hash('sha256', set)
}

/** The sets with these digests. */
export async function findAttributeSets(
  db: Queryable,
  digests: ReadonlySet<string>,
): Promise<ReadonlyMap<string, AttributeSet>> {
  const found = new Map<string, AttributeSet>()
  const missing: string[] = []
  for (const digest of digests) {
    const set = kept.get(digest)
    if (set === undefined) missing.push(digest)
    else found.set(digest, set)
  }
  if (missing.length === 0) return found
  if (kept.size + missing.length > KEPT_MAX) kept.clear()
  for (const { digest, attributes } of await db.query<{ digest: string; attributes: AttributeSet }>(setsSql, [
    missing,
  ])) {
    kept.set(digest, attributes)
    found.set(digest, attributes)
  }
  return found
}

/*
 * The attributes of products. A set never changes under its digest, so that what was read once is known for good.
 */
import { hash } from 'node:crypto'
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { AttributeSet } from '../engine/points/units.ts'

const setsSql = sqlFile(import.meta.url, 'attribute-sets')

/** Sets of attributes by their digests. */
export type AttributeSets = ReadonlyMap<string, AttributeSet>

/** Of the sets that are kept, in characters: 16 MB, and twice that in scripts such as Devanagari. A digest counts, too. */
const KEPT_MAX = 16_000_000
const kept = new Map<string, AttributeSet>()
let keptLength = 0

/** The digest under which a set is stored. */
export function digestOfSet(set: AttributeSet): string {
  return hash('sha256', set)
}

/** The sets with these digests. */
export async function findAttributeSets(db: Queryable, digests: ReadonlySet<string>): Promise<AttributeSets> {
  const found = new Map<string, AttributeSet>()
  const missing: string[] = []
  for (const digest of digests) {
    const set = kept.get(digest)
    if (set === undefined) missing.push(digest)
    else found.set(digest, set)
  }
  if (missing.length === 0) return found
  for (const { digest, attributes } of await db.query<{ digest: string; attributes: AttributeSet }>(setsSql, [
    missing,
  ])) {
    keep(digest, attributes)
    found.set(digest, attributes)
  }
  dropOldest()
  return found
}

function keep(digest: string, set: AttributeSet): void {
  // Another caller may have read it meanwhile.
  if (kept.has(digest)) return
  kept.set(digest, set)
  keptLength += digest.length + set.length
}

function dropOldest(): void {
  for (const [digest, set] of kept) {
    if (keptLength <= KEPT_MAX) return
    kept.delete(digest)
    keptLength -= digest.length + set.length
  }
}

/*
 * Products as orders read them, kept until any product changes, whoever changes it (docs/decisions/0156-prediction-fast-path.md).
 */
import type { Amount, Sku } from '../engine/points/units.ts'
import { createGenerations } from './generations.ts'

/** So many products are kept at least before those not asked for are dropped; at most twice as many, some 15 MB. */
const KEPT_MIN = 50_000

/** A price, and the digest of the attributes: empty if there are none. Null: the catalogue has no such product. */
export type KnownProduct = Readonly<{ price: Amount; digest: string }> | null

/** Products as a statement that sees these epochs would read them. Empty epochs: nothing is known of later statements. */
export type KnownProducts = Readonly<{ epochs: string; products: ReadonlyMap<Sku, KnownProduct> }>

export type ProductMemory = Readonly<{
  /** What is known of these products. */
  find: (skus: Iterable<Sku>) => KnownProducts
  /** Keeps what a statement has read. Products with other epochs than its own are forgotten. */
  keep: (read: KnownProducts) => void
}>

/** An empty memory, for one database. */
export function createProductMemory(): ProductMemory {
  const create = () => createGenerations<KnownProduct>(KEPT_MIN, () => 1)
  let epochs = ''
  let known = create()
  return {
    find: (skus) => {
      const products = new Map<Sku, KnownProduct>()
      for (const sku of skus) {
        const product = known.get(sku)
        if (product !== undefined) products.set(sku, product)
      }
      return { epochs, products }
    },
    keep: (read) => {
      if (read.epochs === '') return
      if (read.epochs !== epochs) known = create()
      epochs = read.epochs
      for (const [sku, product] of read.products) known.set(sku, product)
    },
  }
}

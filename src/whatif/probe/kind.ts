import type fc from 'fast-check'
import type { SentOrder } from '../../points/model.ts'
import type { World } from '../replay.ts'
import type { Shop } from './shop.ts'

/** A few orders in a row, from the beginning that a counter-example has. */
export type History = Readonly<{ name: string; orders: readonly SentOrder[] }>

/** A counter-example: histories that show it, and what is wrong with them, in sentences for a shop owner. */
export type Evidence = Readonly<{
  title: string
  because: readonly string[]
  world: World
  histories: readonly History[]
}>

/** A kind of counter-example. `promise`: what holds for every sound program, in one sentence. */
export type Kind<Gene> = Readonly<{
  promise: string
  genes: (shop: Shop) => fc.Arbitrary<Gene>
  /** What a gene shows against the promise, if anything. */
  judge: (gene: Gene, shop: Shop) => Evidence | undefined
}>

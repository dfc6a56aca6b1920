/*
 * What predictions read, kept in memory on the embedded database. It is exact, because this process is the only one that writes there
 * (docs/decisions/0156-prediction-fast-path.md).
 */
import type { Changes } from '../database/db/changes.ts'
import { isOwnOrder } from '../engine/points/ledger/evaluate-order.ts'
import { type PlayerHistory, type Profile, type Snapshot, toBalanceQuery } from '../engine/points/ledger/snapshot.ts'
import type { Account, RecordedOrder } from '../engine/points/model.ts'
import type { Amount, AttributeSet, OrderId, UserId } from '../engine/points/units.ts'
import { createIdFilter } from './id-filter.ts'
import type { OrderQuery } from './snapshots.ts'

/** The weight of players, and of products, that are kept at least before those not asked for are dropped; at most twice as much. */
const KEPT_MIN = 25_000
/** What weighs 1 more: so many characters of attributes, of which up to 32 MB are kept. */
const CHARACTERS_OF_WEIGHT = 320
/** What weighs as much as a player: so many movements and lines, each of some 200 bytes. */
const PARTS_OF_WEIGHT = 10
/** Longer histories, and orders with more lines, are not kept. An order takes as much as these lines and so many more. */
const [MOVEMENTS_MAX, LINES_MAX, PARTS_OF_ORDER] = [64, 20, 6]

/** `balance`: the answer to `toBalanceQuery`; `recorded`: an order of the player without a referral code. Undefined: the last ones asked for had none. */
type KeptPlayer = Readonly<{
  profile: Profile | undefined
  account: Account | undefined
  balance: PlayerHistory | undefined
  recorded: RecordedOrder | undefined
}>
type KeptProduct = Readonly<{ price: Amount | undefined; attributes: AttributeSet | undefined }>

/** A read of inputs under way: what was changed since it was sent. */
type Read = { readonly changes: Changes[] }

export type InputMemory = Readonly<{
  /** The inputs of an order, if all are known: as they are at this moment, so copied. Undefined: ask the database. */
  find: (query: OrderQuery) => Snapshot | undefined
  /** Runs a read of inputs, and keeps what it found for these queries, unless it was changed meanwhile. */
  keep: (queries: readonly OrderQuery[], read: () => Promise<Snapshot>) => Promise<Snapshot>
  /**
   * To be called before a COMMIT is sent: these inputs are forgotten, and not kept again until the function that is returned is called, when the
   * outcome is known.
   */
  forget: (changes: Changes) => () => void
  /** Loads the ids of all recorded orders, a page after the other. Until all are loaded nothing is found, so never if `isStopping` ends it. */
  loadOrders: (pages: AsyncIterable<readonly OrderId[]>, isStopping: () => boolean) => Promise<void>
}>

/** An empty memory. */
export function createInputMemory(): InputMemory {
  const players = createGenerations(weightOfPlayer)
  const products = createGenerations<KeptProduct>(({ attributes = '' }) => 1 + attributes.length / CHARACTERS_OF_WEIGHT)
  const orders = createIdFilter()
  let knowsOrders = false
  const committing = new Set<Changes>()
  const reads = new Set<Read>()

  function find({ userId, orderId, skus, code, histories = [] }: OrderQuery): Snapshot | undefined {
    // Referral codes and redemptions by their ids are looked up in the database.
    if (!knowsOrders || code !== '' || histories.some(({ redemptionId }) => redemptionId !== '')) return undefined
    const player = players.get(userId)
    if (player === undefined) return undefined
    const { balance } = player
    const recorded = player.recorded?.order.id === orderId ? player.recorded : undefined
    if (recorded === undefined && (orders.mayHave(orderId) || (histories.length > 0 && balance === undefined)))
      return undefined
    const catalogue = new Map<string, Amount>()
    let attributes: Map<string, AttributeSet> | undefined
    for (const sku of skus) {
      const product = products.get(sku)
      if (product === undefined) return undefined
      if (product.price !== undefined) catalogue.set(sku, product.price)
      if (product.attributes !== undefined) {
        attributes ??= new Map()
        attributes.set(sku, product.attributes)
      }
    }
    return {
      profiles: mapOf(userId, player.profile),
      accounts: mapOf(userId, player.account),
      catalogue,
      orders: mapOf(orderId, recorded),
      ...NOTHING_ELSE,
      ...(balance === undefined ? {} : { history: historyOf(userId, balance) }),
      ...(attributes === undefined ? {} : { attributes }),
    }
  }

  async function keep(queries: readonly OrderQuery[], read: () => Promise<Snapshot>): Promise<Snapshot> {
    const entry: Read = { changes: [...committing] }
    reads.add(entry)
    try {
      const found = await read()
      const { profiles, accounts, catalogue, attributes } = found
      const isUnchanged = (kind: keyof Changes, key: string) =>
        entry.changes.every((changes) => !changes[kind].has(key))
      for (const query of queries) {
        const { userId, skus } = query
        if (isUnchanged('players', userId)) {
          const { balance, recorded } = { ...players.get(userId), ...partsToKeep(query, found) }
          players.set(userId, { profile: profiles.get(userId), account: accounts.get(userId), balance, recorded })
        }
        for (const sku of skus)
          if (isUnchanged('products', sku)) {
            const price = catalogue.get(sku)
            products.set(sku, { price, attributes: attributes?.get(sku) })
          }
      }
      return found
    } finally {
      reads.delete(entry)
    }
  }

  function forget(changes: Changes): () => void {
    // Before the COMMIT: an id that is not committed in the end is only looked up once more.
    for (const id of changes.orders) orders.add(id)
    for (const key of changes.players) players.delete(key)
    for (const key of changes.products) products.delete(key)
    committing.add(changes)
    for (const read of reads) read.changes.push(changes)
    return () => committing.delete(changes)
  }

  const loadOrders: InputMemory['loadOrders'] = async (pages, isStopping) => {
    for await (const page of pages) {
      if (isStopping()) return
      for (const id of page) orders.add(id)
    }
    knowsOrders = true
  }

  return { find, keep, forget, loadOrders }
}

function weightOfPlayer({ profile, balance, recorded }: KeptPlayer): number {
  const ofBalance = balance === undefined ? 0 : balance.movements.length + balance.redemptions.length
  const ofOrder = recorded === undefined ? 0 : PARTS_OF_ORDER + recorded.order.lines.length + recorded.facts.prices.size
  const sets = [profile?.attributes, ...(recorded === undefined ? [] : setsOf(recorded))]
  const characters = sets.reduce((sum, set) => sum + (set?.length ?? 0), 0)
  return Math.max(1, (ofBalance + ofOrder) / PARTS_OF_WEIGHT) + characters / CHARACTERS_OF_WEIGHT
}

function setsOf({ order, facts }: RecordedOrder): (AttributeSet | undefined)[] {
  const ofLines = order.lines.map(({ attributes }) => attributes)
  return [order.attributes, ...ofLines, facts.player.attributes, ...(facts.attributes?.values() ?? [])]
}

/** What was found beside the player and is kept with them. */
function partsToKeep({ userId, orderId }: OrderQuery, { history, orders }: Snapshot): Partial<KeptPlayer> {
  const balance = history(toBalanceQuery(userId))
  const order = orders.get(orderId)
  const keepsBalance = balance !== undefined && balance.movements.length + balance.redemptions.length <= MOVEMENTS_MAX
  // An order with a code depends on others than its player.
  const keepsOrder =
    order !== undefined &&
    isOwnOrder(order, userId) &&
    order.facts.codes.size === 0 &&
    order.order.lines.length <= LINES_MAX
  return { ...(keepsBalance ? { balance } : {}), ...(keepsOrder ? { recorded: order } : {}) }
}

function historyOf(userId: UserId, balance: PlayerHistory): Snapshot['history'] {
  return (query) => (query.userId === userId && query.orderId === '' && query.redemptionId === '' ? balance : undefined)
}

/** Of an order that carries no code. Windows and other histories are looked up where they are needed. */
const NOTHING_ELSE: Omit<Snapshot, 'profiles' | 'accounts' | 'catalogue' | 'orders'> = {
  codes: new Map(),
  levelPointsIn: () => undefined,
  history: () => undefined,
}

function mapOf<T>(key: string, value: T | undefined): ReadonlyMap<string, T> {
  return value === undefined ? new Map() : new Map([[key, value]])
}

/** A map of bounded weight: what is not asked for while values of KEPT_MIN are, is dropped. */
function createGenerations<T>(weightOf: (value: T) => number) {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  let weight = 0
  function set(key: string, value: T): void {
    if (weight >= KEPT_MIN) {
      old = young
      young = new Map()
      weight = 0
    }
    removeFromYoung(key)
    young.set(key, value)
    weight += weightOf(value)
  }
  function get(key: string): T | undefined {
    const recent = young.get(key)
    if (recent !== undefined) return recent
    const older = old.get(key)
    if (older !== undefined) set(key, older)
    return older
  }
  function removeFromYoung(key: string): void {
    const value = young.get(key)
    if (value === undefined) return
    young.delete(key)
    weight -= weightOf(value)
  }
  function remove(key: string): void {
    removeFromYoung(key)
    old.delete(key)
  }
  return { get, set, delete: remove }
}

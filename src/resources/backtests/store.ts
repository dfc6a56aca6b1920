/*
 * The ledger as a backtest reads it: accounts, orders and entries as streams ordered by player, all from one snapshot.
 */

import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { TimeRange } from '../../database/db/time-range.ts'
import type { LedgerOrder } from '../../engine/whatif/backtest.ts'
import type { LedgerMovement } from '../../engine/whatif/backtest-balances.ts'
import type { Pair } from '../../engine/whatif/tally.ts'
import { type AttributeSets, findAttributeSets } from '../../ledger/attribute-sets.ts'
import { movementOf } from '../../ledger/histories.ts'
import { factsOf, findSetsOf, type OrderRow, orderOf } from '../../ledger/recorded-orders.ts'

const countSql = sqlFile(import.meta.url, 'backtest-count')
const rangesSql = sqlFile(import.meta.url, 'backtest-ranges')
const ordersSql = sqlFile(import.meta.url, 'backtest-orders')
const productsSql = sqlFile(import.meta.url, 'backtest-products')
const referralsSql = sqlFile(import.meta.url, 'backtest-referrals')
const playersSql = sqlFile(import.meta.url, 'backtest-players')
const entriesSql = sqlFile(import.meta.url, 'backtest-entries')
const movementsSql = sqlFile(import.meta.url, 'backtest-movements')

/** Rows fetched at a time: about 1 MB of orders. */
const PAGE_ROWS = 500

/** Large enough to make the fixed cost of a range negligible, small enough to keep all threads busy to the end. */
const RANGE_ORDERS = 4_000
const RANGES_MAX = 1_000

/** The players after `after` up to and including `last`, in database order; without `last`, to the end. */
export type PlayerRange = Readonly<{ after: string; last: string | undefined }>

/** A player's account: the points that count for the level under the program in effect and under the candidate, before any order is recomputed. */
export type AccountLine = Readonly<{
  userId: string
  firstOrderId: string | undefined
  levelPoints: Pair<bigint>
}>

/** The range in which points must have been earned to count: (`after`, `upTo`]. */
export type CountingRange = Readonly<{ after: string; upTo: string }>

/** Which points count for the level under the program in effect and under the candidate; `to` is the exclusive end of the time range. */
export type LevelCounting = Readonly<{ inEffect: CountingRange; candidate: CountingRange; to: string }>

const ALWAYS: CountingRange = { after: '-infinity', upTo: 'infinity' }

/** A stream of rows ordered by player, consumed one player at a time. */
export type PlayerRows<T> = Readonly<{
  /** The player of the next row; undefined at the end. */
  nextPlayer: () => Promise<string | undefined>
  /** Calls `act` for each row of this player, if their rows come next; otherwise does nothing. */
  each: (userId: string, act: (row: T) => void) => Promise<void>
}>

/** Splits all players into ranges with about the same number of orders each, at least `orders`. */
export async function listRanges(tx: Queryable, orders: number = RANGE_ORDERS): Promise<PlayerRange[]> {
  const rows = await tx.query<{ last: string }>(rangesSql, [orders, RANGES_MAX])
  // The last range is open, so that orders of a player without an account after the last one do not go unnoticed.
  const lasts = [...rows.slice(0, -1).map(({ last }) => last), undefined]
  return lasts.map((last, place) => ({ after: lasts[place - 1] ?? '', last }))
}

/** The index of the range that contains a player. Compares bytes, as the database does: JavaScript orders strings differently. */
export function rangeIndexOf(userId: string, ranges: readonly PlayerRange[]): number {
  const bytes = Buffer.from(userId)
  let [low, high] = [0, ranges.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (Buffer.from(ranges[middle]!.last!).compare(bytes) >= 0) high = middle
    else low = middle + 1
  }
  return low
}

/** The number of orders in a time range. */
export async function countOrders(tx: Queryable, { from, to }: TimeRange): Promise<number> {
  return (await tx.query<{ orders: number }>(countSql, [from, to]))[0]!.orders
}

export type BacktestReader = ReturnType<typeof openBacktestReader>

/**
 * Opens streams over the players of a range. Each stream prefetches its next page while the current one is processed. `needsAttributesNow`: orders come
 * with the attributes that their products have now.
 */
export function openBacktestReader(tx: Queryable, { after, last: upTo }: PlayerRange, needsAttributesNow = false) {
  const range = [after, upTo ?? null]
  let last: Promise<unknown> = Promise.resolve()
  let failure: { error: unknown } | undefined
  // A connection runs one statement at a time.
  const runSerially = <T>(act: () => Promise<T>): Promise<T> => {
    const done = last.then(async () => {
      // After one failed statement all others fail as well; the first error is the informative one.
      if (failure !== undefined) throw failure.error
      try {
        return await act()
      } catch (error) {
        failure = { error }
        throw error
      }
    })
    last = done.catch(() => undefined)
    return done
  }
  async function open<Row>(
    cursor: string,
    sql: string,
    params: readonly unknown[],
    readerFor: (lines: readonly string[]) => Reader<Row> | Promise<Reader<Row>>,
  ): Promise<() => Promise<Page<Row>>> {
    const fetch = () =>
      runSerially(async () => {
        const rows = await tx.query<{ line: string }>(`fetch ${PAGE_ROWS} from ${cursor}`)
        const lines = rows.map(({ line }) => line)
        return { lines, read: await readerFor(lines) }
      })
    await runSerially(() => tx.query(sql, params))
    let next = fetch()
    return async () => {
      const page = await next
      next = page.lines.length < PAGE_ROWS ? Promise.resolve({ ...page, lines: [] }) : fetch()
      next.catch(() => undefined)
      return page
    }
  }
  // Orders are read one at a time: many at once would outlive the cheap collections of memory.
  const readerForOrders = async (lines: readonly string[]): Promise<Reader<LedgerOrder>> => {
    // Facts that an erasure has rewritten have a space behind the colon.
    const needed = needsAttributesNow ? lines : lines.filter((line) => line.includes('"attributes":'))
    const rows = needed.map((line) => orderJsonIn(line.split('\t')))
    const sets = await findSetsOf(tx, rows)
    const now = needsAttributesNow ? await findAttributesNow(tx, rows) : undefined
    return (values) => ledgerOrderOf(values, sets, now)
  }
  return {
    orders: async ({ from, to }: TimeRange): Promise<PlayerRows<LedgerOrder>> =>
      byPlayer(await open('backtest_orders', ordersSql, [from, to, ...range], readerForOrders)),

    /** The sums of the points that count for levels, by moment. */
    entries: async (to: string): Promise<PlayerRows<{ at: string; points: bigint }>> =>
      byPlayer(await open('backtest_entries', entriesSql, [to, ...range], () => levelPointsIn)),

    /** What balances are computed from: all entries before the end of the range. */
    movements: async ({ from, to }: TimeRange): Promise<PlayerRows<LedgerMovement>> =>
      byPlayer(await open('backtest_movements', movementsSql, [from, to, ...range], () => movementIn)),

    /** Every account with orders or entries, ordered by player. `counting` says which points count; undefined: the sums stored in the account. */
    async *players(counting: LevelCounting | undefined): AsyncGenerator<AccountLine> {
      const { inEffect, candidate, to } = counting ?? { inEffect: ALWAYS, candidate: ALWAYS, to: 'infinity' }
      const bounds = [inEffect.after, candidate.after, inEffect.upTo, candidate.upTo, to]
      const parameters = [...bounds, counting === undefined, ...range]
      yield* rowsOf(await open('backtest_players', playersSql, parameters, () => accountIn))
    },

    /** Players' first orders that carry a referral code. */
    async *referrals({ from, to }: TimeRange): AsyncGenerator<LedgerOrder> {
      yield* rowsOf(await open('backtest_referrals', referralsSql, [from, to, ...range], readerForOrders))
    },

    /** Closes the streams, so that others can be opened in the same transaction. */
    close: async (): Promise<void> => {
      await runSerially(() => tx.query('close all'))
    },
  }
}

/** Reads the values of a line. Neither keys nor JSON contain the tabs between them. */
type Reader<Row> = (values: readonly string[]) => Row
type Page<Row> = Readonly<{ lines: readonly string[]; read: Reader<Row> }>

async function* rowsOf<Row>(nextPage: () => Promise<Page<Row>>): AsyncGenerator<Row> {
  for (let page = await nextPage(); page.lines.length > 0; page = await nextPage())
    for (const line of page.lines) yield page.read(line.split('\t'))
}

function byPlayer<Row>(nextPage: () => Promise<Page<Row>>): PlayerRows<Row> {
  let page: Page<Row> | undefined
  let place = 0
  async function nextPlayer(): Promise<string | undefined> {
    if (page === undefined || place === page.lines.length) [page, place] = [await nextPage(), 0]
    return page.lines[place]?.slice(0, page.lines[place]!.indexOf('\t'))
  }
  return {
    nextPlayer,
    async each(userId, act) {
      const start = `${userId}\t`
      while ((await nextPlayer()) === userId) {
        const { lines, read } = page!
        for (; place < lines.length && lines[place]!.startsWith(start); place += 1) act(read(lines[place]!.split('\t')))
      }
    },
  }
}

function levelPointsIn([, at, points]: readonly string[]): { at: string; points: bigint } {
  return { at: toRfc3339(at!), points: BigInt(points!) }
}

function accountIn([userId, firstOrderId, before, after]: readonly string[]): AccountLine {
  return {
    userId: userId!,
    firstOrderId: firstOrderId === '' ? undefined : firstOrderId!,
    levelPoints: { before: BigInt(before!), after: BigInt(after!) },
  }
}

type OrderJson = Pick<OrderRow, 'state' | 'facts'>

/** State and facts form one JSON list: parsing one text costs two thirds of parsing two. */
function orderJsonIn(values: readonly string[]): OrderJson {
  const [state, facts] = JSON.parse(values[8]!) as [OrderRow['state'], OrderRow['facts']]
  return { state, facts }
}

/** The attributes that the products of these orders have now, by product. */
async function findAttributesNow(
  tx: Queryable,
  rows: readonly OrderJson[],
): Promise<NonNullable<LedgerOrder['attributesNow']>> {
  const skus = new Set(rows.flatMap(({ state }) => state.lines.flatMap(({ sku }) => sku ?? [])))
  const products = await tx.query<{ sku: string; digest: string }>(productsSql, [[...skus]])
  const sets = await findAttributeSets(tx, new Set(products.map(({ digest }) => digest)))
  return new Map(products.map(({ sku, digest }) => [sku, sets.get(digest)!]))
}

function ledgerOrderOf(
  values: readonly string[],
  sets: AttributeSets,
  attributesNow: LedgerOrder['attributesNow'],
): LedgerOrder {
  const [userId, id, at, program, points, referrerId, referrerPoints, rev] = values as readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const { state, facts } = orderJsonIn(values)
  return {
    order: orderOf(id, userId, { at: toRfc3339(at), state }),
    facts: factsOf({ program: Number(program), facts }, sets),
    points: BigInt(points),
    rev: BigInt(rev),
    ...(referrerId === '' ? {} : { referrer: { userId: referrerId, points: BigInt(referrerPoints) } }),
    ...(attributesNow === undefined ? {} : { attributesNow }),
  }
}

function movementIn(columns: readonly string[]): LedgerMovement {
  const [, part, at, ...movement] = columns as [
    string,
    LedgerMovement['part'],
    string,
    ...Parameters<typeof movementOf>,
  ]
  return { part, at: toRfc3339(at), ...movementOf(...movement) }
}

/** Converts a timestamp as the database writes it, `2027-01-31 12:00:00.5+00`, to RFC 3339. */
function toRfc3339(text: string): string {
  const time = text.slice(11, text.indexOf('+'))
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, '0')}Z`
}

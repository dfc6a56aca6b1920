/*
 * The ledger as a backtest reads it: accounts, orders and entries as long streams in the order of players, all of one snapshot.
 */
import type { LedgerOrder } from '../whatif/backtest.ts'
import type { LedgerMovement } from '../whatif/backtest-balances.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import type { TimeRange } from './db/time-range.ts'
import { movementOfParts } from './histories.ts'
import { factsOf, type OrderRow, orderOf } from './orders.ts'

const countSql = sqlFile('backtest-count')
const rangesSql = sqlFile('backtest-ranges')
const ordersSql = sqlFile('backtest-orders')
const referralsSql = sqlFile('backtest-referrals')
const playersSql = sqlFile('backtest-players')
const entriesSql = sqlFile('backtest-entries')
const movementsSql = sqlFile('backtest-movements')

/** Rows of a page: some 1 MB of orders. */
const PAGE_ROWS = 500

/** So that what a range takes to begin and end is little beside its orders, and that all threads have work to the end. */
const RANGE_ORDERS = 4_000
const RANGES_MAX = 1_000

/** Players after one up to another, in the order of the database; without `last` to the end. */
export type PlayerRange = Readonly<{ after: string; last: string | undefined }>

/** A player's account: what counts for the level by the held program and by the candidate, where nothing changes. */
export type AccountLine = Readonly<{
  userId: string
  firstOrderId: string | undefined
  held: bigint
  candidate: bigint
}>

/** When points were earned that count: after the one moment, up to the other. */
export type CountingSpan = Readonly<{ after: string; upTo: string }>

/** Which points count for the level by the held program and by the candidate; `to` is the end of the range of moments, not in it. */
export type LevelCounting = Readonly<{ held: CountingSpan; candidate: CountingSpan; to: string }>

const ALWAYS: CountingSpan = { after: '-infinity', upTo: 'infinity' }

/** Rows of one player after another, which are taken while they are those of one player. */
export type PlayerRows<T> = Readonly<{
  /** The player of the next row; undefined where there is none. */
  nextPlayer: () => Promise<string | undefined>
  /** Hands over the rows of this player, which must come next; none where another player's do. */
  each: (userId: string, act: (row: T) => void) => Promise<void>
}>

/** All players in ranges of about as many orders each, `orders` at least. */
export async function listRanges(tx: Queryable, orders: number = RANGE_ORDERS): Promise<PlayerRange[]> {
  const rows = await tx.query<{ last: string }>(rangesSql, [orders, RANGES_MAX])
  // Whoever comes after the last account has orders and no account, which must not stay unseen.
  const lasts = [...rows.slice(0, -1).map(({ last }) => last), undefined]
  return lasts.map((last, place) => ({ after: lasts[place - 1] ?? '', last }))
}

/** The place of the range that a player is of. Texts have another order here than in the database. */
export function placeOf(userId: string, ranges: readonly PlayerRange[]): number {
  const bytes = Buffer.from(userId)
  let [low, high] = [0, ranges.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (Buffer.from(ranges[middle]!.last!).compare(bytes) >= 0) high = middle
    else low = middle + 1
  }
  return low
}

/** How many orders lie in a time range. */
export async function countOrders(tx: Queryable, { from, to }: TimeRange): Promise<number> {
  return (await tx.query<{ orders: number }>(countSql, [from, to]))[0]!.orders
}

export type BacktestReader = ReturnType<typeof openBacktestReader>

/** Streams of the players of a range. While a page is computed, the next one of the same stream is on its way. */
export function openBacktestReader(tx: Queryable, { after, last: upTo }: PlayerRange) {
  const range = [after, upTo ?? null]
  let last: Promise<unknown> = Promise.resolve()
  // A connection answers one statement at a time.
  let failure: { error: unknown } | undefined
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = last.then(async () => {
      // After a statement that failed all others do: the first says why.
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
  async function open(cursor: string, sql: string, params: readonly unknown[]): Promise<() => Promise<string[]>> {
    const fetch = () =>
      inTurn(async () =>
        (await tx.query<{ line: string }>(`fetch ${PAGE_ROWS} from ${cursor}`)).map(({ line }) => line),
      )
    await inTurn(() => tx.query(sql, params))
    let next = fetch()
    return async () => {
      const page = await next
      next = page.length < PAGE_ROWS ? Promise.resolve([]) : fetch()
      next.catch(() => undefined)
      return page
    }
  }
  return {
    orders: async ({ from, to }: TimeRange): Promise<PlayerRows<LedgerOrder>> =>
      byPlayer(await open('backtest_orders', ordersSql, [from, to, ...range]), orderIn),

    /** The sums of counting points by moment. */
    entries: async (to: string): Promise<PlayerRows<{ at: string; points: bigint }>> =>
      byPlayer(await open('backtest_entries', entriesSql, [to, ...range]), ([, at, points]) => ({
        at: momentIn(at!),
        points: BigInt(points!),
      })),

    /** What balances are computed of: all entries before the end of the range. */
    movements: async ({ from, to }: TimeRange): Promise<PlayerRows<LedgerMovement>> =>
      byPlayer(await open('backtest_movements', movementsSql, [from, to, ...range]), movementIn),

    /**
     * Every account with orders or entries, in the order of players. `counting` says which points count; undefined: the account's own sums.
     */
    async *players(counting: LevelCounting | undefined): AsyncGenerator<AccountLine> {
      const { held, candidate, to } = counting ?? { held: ALWAYS, candidate: ALWAYS, to: 'infinity' }
      const spans = [held.after, candidate.after, held.upTo, candidate.upTo, to]
      const page = await open('backtest_players', playersSql, [...spans, counting === undefined, ...range])
      for (let lines = await page(); lines.length > 0; lines = await page()) {
        for (const line of lines) {
          const [userId, firstOrderId, held, candidate] = line.split('\t')
          yield {
            userId: userId!,
            firstOrderId: firstOrderId === '' ? undefined : firstOrderId!,
            held: BigInt(held!),
            candidate: BigInt(candidate!),
          }
        }
      }
    },

    /** First orders of players with a referral code. */
    async *referrals({ from, to }: TimeRange): AsyncGenerator<LedgerOrder> {
      const page = await open('backtest_referrals', referralsSql, [from, to, ...range])
      for (let lines = await page(); lines.length > 0; lines = await page())
        for (const line of lines) yield orderIn(line.split('\t'))
    },

    /** Ends the streams, so that others of the same transaction may begin. */
    close: async (): Promise<void> => {
      await inTurn(() => tx.query('close all'))
    },
  }
}

function byPlayer<T>(nextPage: () => Promise<string[]>, read: (values: readonly string[]) => T): PlayerRows<T> {
  let page: string[] = []
  let place = 0
  async function nextPlayer(): Promise<string | undefined> {
    if (place === page.length) [page, place] = [await nextPage(), 0]
    return page[place]?.slice(0, page[place]!.indexOf('\t'))
  }
  return {
    nextPlayer,
    async each(userId, act) {
      const start = `${userId}\t`
      while ((await nextPlayer()) === userId)
        for (; place < page.length && page[place]!.startsWith(start); place += 1) act(read(page[place]!.split('\t')))
    },
  }
}

/** Neither keys nor JSON hold a tab. State and facts are one list: reading one text costs two thirds of reading two. */
function orderIn(values: readonly string[]): LedgerOrder {
  const [userId, id, at, program, points, referrerId, referrerPoints, rev, json] = values as readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const [state, facts] = JSON.parse(json) as [OrderRow['state'], OrderRow['facts']]
  return {
    order: orderOf(id, userId, { at: momentIn(at), state }),
    facts: factsOf({ program: Number(program), facts }),
    points: BigInt(points),
    rev: BigInt(rev),
    ...(referrerId === '' ? {} : { referrer: { userId: referrerId, points: BigInt(referrerPoints) } }),
  }
}

function movementIn([, part, at, ...movement]: readonly string[]): LedgerMovement {
  return { part: part as LedgerMovement['part'], at: momentIn(at!), ...movementOfParts(movement) }
}

/** A moment as the database writes it, `2027-01-31 12:00:00.5+00`, as RFC 3339. */
function momentIn(text: string): string {
  const time = text.slice(11, text.indexOf('+'))
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, '0')}Z`
}

/*
 * What recording orders does: accounts, entries and revisions from orders and what is known of them. Pure; the store reads the
 * snapshot and writes the outcome. A prediction is a recording that is not written, so that the two cannot differ.
 */
import { WHOLE_MAX } from './arithmetic.ts'
import { digestsOf } from './digests.ts'
import { windowStart } from './levels.ts'
import {
  type Account,
  type Catalogue,
  type CodeOwner,
  type Entry,
  type Facts,
  type Order,
  type Player,
  type Prediction,
  type PublishedProgram,
  type RecordedOrder,
  type ReferralCase,
  type SentOrder,
  UNKNOWN_PLAYER,
} from './model.ts'
import { predict } from './predict.ts'
import { programAt } from './programs.ts'

/** What a program may know of a person, from the player's record. */
export type Profile = Pick<Player, 'region' | 'district' | 'country' | 'gender' | 'dateOfBirth'>

/** What is known by key; a map is one. */
export type Lookup<T> = Pick<ReadonlyMap<string, T>, 'get' | 'has'>

/** Everything that recording some orders needs to know, as it is before the first of them. What is unknown is missing. */
export type Snapshot = Readonly<{
  profiles: Lookup<Profile>
  accounts: Lookup<Account>
  /** By order id, whoever they belong to. */
  orders: Lookup<RecordedOrder | ForeignOrder>
  catalogue: Catalogue
  /** The players who bear a referral code, two or three where there are more. */
  codes: Lookup<readonly string[]>
  /** Answers to questions about windows, by `windowKey`. */
  sums: ReadonlyMap<string, bigint>
  /** Entries by player that the sums do not hold yet. */
  entriesOf: Lookup<readonly Entry[]>
}>

/** An order that is recorded for somebody else than who sends it. */
export type ForeignOrder = Readonly<{ ownerId: string }>

/** The points that count in (`from`, `to`], without those of one order. */
export type WindowQuestion = Readonly<{ userId: string; orderId: string; from: string; to: string }>

export function windowKey({ userId, orderId, from, to }: WindowQuestion): string {
  return JSON.stringify([userId, orderId, from, to])
}

/** Why an order is not recorded. */
export type OrderRefusal =
  | 'unknown-player'
  | 'other-player'
  | 'no-program'
  /** More than 2^53-1 points for this order, or on an account after it (decision 34). */
  | 'too-many-points'

export type OrderVerdict = Readonly<
  | { refused: OrderRefusal }
  | {
      done: 'inserted' | 'updated' | 'unchanged'
      prediction: Prediction
      /** When the order was recorded last before this; undefined where it is new. */
      recordedBefore: string | undefined
      /** The order's moment, and which of its recordings this is. */
      at: string
      rev: bigint
    }
>

/** What is to be written: accounts and orders as they are afterwards, and the entries that led there. */
export type LedgerChange = Readonly<{
  accounts: ReadonlyMap<string, Account>
  orders: ReadonlyMap<string, RecordedOrder>
  entries: readonly Entry[]
}>

/** What became of each order, in the order sent, and what is to be written. */
export type Recording = LedgerChange &
  Readonly<{
    verdicts: readonly OrderVerdict[]
    /** Windows that the snapshot does not know: the outcome is good only when there are none. */
    missing: readonly WindowQuestion[]
  }>

export const EMPTY_ACCOUNT: Account = Object.freeze({ points: 0n, levelPoints: 0n, orders: 0n, entries: 0n, rev: 0n })

/**
 * Records orders, one after the other. An order in its recorded state changes nothing; another state is the next revision and posts
 * the difference, computed with the program and facts of the first recording.
 *
 * `now` is the moment of arrival, for orders that name none. Errors: UnknownVersion.
 * Source: docs/programs.md; decisions 30, 33 and 34
 */
export function recordOrders(
  sent: readonly SentOrder[],
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: string,
): Recording {
  const book = openBook(snapshot)
  const verdicts = sent.map((order) => recordOne(order, book, programs, now))
  return { verdicts, ...book.written }
}

/**
 * What recording an order would say, nothing recorded. An unknown player is a new one (decision 24).
 * `missing` as in Recording. Errors: UnknownVersion.
 */
export function previewOrder(
  sent: SentOrder,
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: string,
): Readonly<{
  foreseen:
    | { refused: OrderRefusal }
    | { order: Order; prediction: Prediction; published: PublishedProgram; facts: Facts }
  missing: readonly WindowQuestion[]
}> {
  const book = openBook(snapshot)
  const foreseen = evaluateOrder(sent, book, programs, now)
  return { foreseen, missing: book.written.missing }
}

/** What of a recorded order says what it earns. */
export type Recorded = Pick<RecordedOrder, 'order' | 'facts'>

/**
 * What a recorded order earns, computed anew from its state and its facts; `firstOrderId` is its player's. The levels in the answer are
 * those of its first recording. Errors: UnknownVersion.
 */
export function recompute(
  recorded: Recorded,
  firstOrderId: string | undefined,
  programs: readonly PublishedProgram[],
): Prediction {
  return recomputeUnder(versionOf(recorded, programs), recorded, firstOrderId)
}

/** The same under any program. */
export function recomputeUnder(
  published: PublishedProgram,
  { order, facts }: Recorded,
  firstOrderId: string | undefined,
): Prediction {
  return predict(order, facts.player, facts.prices, published, {
    levelPoints: facts.player.levelPoints,
    referral: referralCase(order, facts, firstOrderId),
  })
}

/** The version that an order was first recorded under. Errors: UnknownVersion. */
export function versionOf({ facts }: Recorded, programs: readonly PublishedProgram[]): PublishedProgram {
  const published = programs.find(({ version }) => version === facts.program)
  if (published === undefined) throw new UnknownVersion(`program version ${facts.program} is not known here yet`)
  return published
}

/** The program that an order was first recorded under is not known here: another replica has just published it. */
export class UnknownVersion extends Error {}

function recordOne(sent: SentOrder, book: Book, programs: readonly PublishedProgram[], now: string): OrderVerdict {
  if (!book.isPlayer(sent.userId)) return { refused: 'unknown-player' }
  const reckoned = evaluateOrder(sent, book, programs, now)
  if ('refused' in reckoned) return reckoned
  const { order, recorded, facts, prediction, moves } = reckoned
  const isUnchanged = recorded !== undefined && isSameState(recorded.order, order)
  const rev = (recorded?.rev ?? 0n) + (isUnchanged ? 0n : 1n)
  const done = { prediction, recordedBefore: recorded?.recordedAt, at: order.at, rev }
  if (isUnchanged) return { done: 'unchanged', ...done }
  const { referrer } = prediction
  book.write(
    {
      order,
      facts,
      points: prediction.points,
      ...(referrer === undefined || referrer.points === 0n
        ? {}
        : { referrer: { userId: referrer.userId, points: referrer.points } }),
      rev,
      recordedAt: now,
      ...firstOf(recorded),
    },
    moves.map((move) => ({
      ...move,
      order: {
        id: order.id,
        revision: rev,
        program: facts.program,
        ...(move.kind === 'order' ? { prediction } : {}),
      },
    })),
  )
  return { done: recorded === undefined ? 'inserted' : 'updated', ...done }
}

/** What a change leaves behind of an order's first recording, which it overwrites. */
function firstOf(recorded: RecordedOrder | undefined): Pick<RecordedOrder, 'first'> {
  if (recorded === undefined) return {}
  if (recorded.rev > 1n) return recorded.first === undefined ? {} : { first: recorded.first }
  const { order, prices } = digestsOf(recorded.order, recorded.facts.player, recorded.facts.prices)
  return { first: { order, prices } }
}

/** An entry that is not posted yet. */
type Posting = Readonly<{ userId: string; kind: 'order' | 'referral'; points: bigint; counts: boolean; at: string }>

type Evaluation = Readonly<{
  order: Order
  recorded: RecordedOrder | undefined
  facts: Facts
  published: PublishedProgram
  prediction: Prediction
  moves: readonly Posting[]
}>

function evaluateOrder(
  sent: SentOrder,
  book: Book,
  programs: readonly PublishedProgram[],
  now: string,
): Evaluation | { refused: OrderRefusal } {
  const known = book.order(sent.id)
  const recorded = known !== undefined && 'facts' in known && known.order.userId === sent.userId ? known : undefined
  if (known !== undefined && recorded === undefined) return { refused: 'other-player' }
  const order: Order = { ...sent, at: sent.at ?? recorded?.order.at ?? now }
  const published = recorded === undefined ? programAt(programs, order.at) : versionOf(recorded, programs)
  if (published === undefined) return { refused: 'no-program' }
  const levelPoints = levelPointsBefore(order, recorded, published, book)
  const facts = factsFor(order, recorded, published, levelPoints, book)
  const prediction = predict(order, facts.player, facts.prices, published, {
    levelPoints,
    ...(recorded === undefined ? {} : { recorded: recorded.points }),
    referral: referralCase(order, facts, book.account(order.userId).firstOrderId),
  })
  if (prediction.points > WHOLE_MAX || !fitsWire(prediction.level.levelPoints)) return { refused: 'too-many-points' }
  const moves = postingsFor(order, recorded, prediction, published)
  if (!book.canPost(moves)) return { refused: 'too-many-points' }
  return { order, recorded, facts, published, prediction, moves }
}

/** The points that count at the order's moment, without those of the order itself (decision 30). */
function levelPointsBefore(
  order: Order,
  recorded: RecordedOrder | undefined,
  { program }: PublishedProgram,
  book: Book,
): bigint {
  const from = windowStart(program.levels.counts, order.at)
  if (from === undefined) return book.account(order.userId).levelPoints - (recorded?.points ?? 0n)
  return book.countedIn({ userId: order.userId, orderId: order.id, from, to: order.at })
}

function factsFor(
  order: Order,
  recorded: RecordedOrder | undefined,
  published: PublishedProgram,
  levelPoints: bigint,
  book: Book,
): Facts {
  const first = recorded?.facts ?? {
    program: published.version,
    player: playerNow(order.userId, levelPoints, book),
    prices: new Map<string, bigint | undefined>(),
    codes: new Map<string, CodeOwner>(),
  }
  const code = order.referralCode
  return {
    ...first,
    prices: withPricesOf(order, first.prices, book),
    codes:
      code === '' || first.codes.has(code)
        ? first.codes
        : new Map([...first.codes, [code, ownerOf(book.codeOwners(code), order.userId)]]),
  }
}

function withPricesOf({ lines }: Order, prices: Catalogue, book: Book): Catalogue {
  if (lines.every(({ sku }) => sku === undefined || prices.has(sku))) return prices
  const all = new Map(prices)
  for (const { sku } of lines) if (sku !== undefined && !all.has(sku)) all.set(sku, book.price(sku))
  return all
}

function playerNow(userId: string, levelPoints: bigint, book: Book): Player {
  const profile = book.profile(userId)
  if (profile === undefined) return UNKNOWN_PLAYER
  const { points, orders } = book.account(userId)
  return { ...profile, known: true, points, levelPoints, orders }
}

/** Nobody refers himself; a code of several others says nothing. */
function ownerOf(bearers: readonly string[], userId: string): CodeOwner {
  const [referrerId, ...more] = bearers.filter((bearer) => bearer !== userId)
  if (referrerId === undefined) return { why: 'unknown' }
  return more.length === 0 ? { referrerId } : { why: 'shared' }
}

function referralCase({ id, referralCode }: Order, { codes }: Facts, firstOrderId = id): ReferralCase {
  if (referralCode === '') return { why: 'no-code' }
  return firstOrderId === id ? codes.get(referralCode)! : { why: 'not-first' }
}

/** The entries that lead from what is recorded to what is predicted. Points follow the order to a new moment (decision 105). */
function postingsFor(
  { userId, at }: Order,
  recorded: RecordedOrder | undefined,
  { points, referrer }: Prediction,
  { program }: PublishedProgram,
): Posting[] {
  const own = { userId, kind: 'order', counts: true } as const
  const gift = { kind: 'referral', counts: program.referral?.counts ?? false } as const
  const after = { ...own, points, at }
  const givenBefore = recorded?.referrer && { ...gift, ...recorded.referrer, at: recorded.order.at }
  const givenAfter = referrer && { ...gift, userId: referrer.userId, points: referrer.points, at }
  return [
    // A first recording has its entry even if it is 0: it says why.
    ...(recorded === undefined
      ? [after]
      : difference({ ...own, points: recorded.points, at: recorded.order.at }, after)),
    ...difference(givenBefore, givenAfter),
  ]
}

/** One entry where player and moment are the same, else one that takes back and one that gives; none of 0 points. */
function difference(before: Posting | undefined, after: Posting | undefined): Posting[] {
  const isSame = before?.userId === after?.userId && before?.at === after?.at
  const moves =
    isSame && before !== undefined && after !== undefined
      ? [{ ...after, points: after.points - before.points }]
      : [before && { ...before, points: -before.points }, after].filter((move) => move !== undefined)
  return moves.filter(({ points }) => points !== 0n)
}

/** Whether two orders hold the same state: equal by value, the same lines in the same places. */
function isSameState(a: Order, b: Order): boolean {
  return (
    a.at === b.at &&
    a.status === b.status &&
    a.total === b.total &&
    a.discount === b.discount &&
    a.qty === b.qty &&
    a.referralCode === b.referralCode &&
    a.subscriptPoints === b.subscriptPoints &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, index) => {
      const other = b.lines[index]!
      return line.sku === other.sku && line.amount === other.amount && line.qty === other.qty
    })
  )
}

type Changes = {
  accounts: Map<string, Account>
  orders: Map<string, RecordedOrder>
  entries: Entry[]
  missing: WindowQuestion[]
}

type Book = ReturnType<typeof openBook>

/** The snapshot with what was recorded since on top of it. */
function openBook(stored: Snapshot) {
  const since = createOverlay()
  const written: Changes = { accounts: since.accounts, orders: since.orders, entries: [], missing: [] }
  const now = withOverlay(stored, since)
  const account = (userId: string): Account => now.accounts.get(userId) ?? EMPTY_ACCOUNT
  return {
    written,
    account,
    profile: (userId: string) => now.profiles.get(userId),
    isPlayer: (userId: string) => now.profiles.has(userId),
    order: (orderId: string) => now.orders.get(orderId),
    price: (sku: string) => now.catalogue.get(sku),
    codeOwners: (code: string) => now.codes.get(code) ?? [],

    countedIn(question: WindowQuestion): bigint {
      const sum = now.sums.get(windowKey(question))
      if (sum === undefined) written.missing.push(question)
      const [from, to] = [Date.parse(question.from), Date.parse(question.to)]
      return (now.entriesOf.get(question.userId) ?? [])
        .filter(({ counts, order }) => counts && order?.id !== question.orderId)
        .filter(({ at }) => from < Date.parse(at) && Date.parse(at) <= to)
        .reduce((total, { points }) => total + points, sum ?? 0n)
    },

    /** Whether every account stays within what the wire can carry. */
    canPost(moves: readonly Posting[]): boolean {
      return moves.every(({ userId }) => {
        const after = moves.reduce(
          (so, move) => (move.userId === userId ? afterPosting(so, move) : so),
          account(userId),
        )
        return fitsWire(after.points) && fitsWire(after.levelPoints)
      })
    },

    write(recorded: RecordedOrder, entries: readonly Omit<Entry, 'seq'>[]): void {
      const { id, userId, status } = recorded.order
      const before = account(userId)
      since.orders.set(id, recorded)
      since.accounts.set(userId, {
        ...before,
        orders: before.orders + (recorded.rev === 1n ? 1n : 0n),
        ...(before.firstOrderId === undefined && status === 'placed' ? { firstOrderId: id } : {}),
      })
      for (const entry of entries) {
        const after = afterPosting(account(entry.userId), entry)
        const numbered: Entry = { ...entry, seq: after.entries }
        since.accounts.set(entry.userId, after)
        written.entries.push(numbered)
        addEntry(since, numbered)
      }
    },
  }
}

/** Changes that are not written, on top of what is. */
export type Overlay = Readonly<{
  accounts: Map<string, Account>
  orders: Map<string, RecordedOrder>
  entriesOf: Map<string, Entry[]>
}>

export function createOverlay(): Overlay {
  return { accounts: new Map(), orders: new Map(), entriesOf: new Map() }
}

/** Adds a change to an overlay, which is changed. */
export function addToOverlay(overlay: Overlay, change: LedgerChange): void {
  for (const [userId, account] of change.accounts) overlay.accounts.set(userId, account)
  for (const [orderId, order] of change.orders) overlay.orders.set(orderId, order)
  for (const entry of change.entries) addEntry(overlay, entry)
}

function addEntry({ entriesOf }: Overlay, entry: Entry): void {
  const others = entriesOf.get(entry.userId)
  if (others === undefined) entriesOf.set(entry.userId, [entry])
  else others.push(entry)
}

/** A snapshot as it is with an overlay on top, also with what is laid over it later. */
export function withOverlay(stored: Snapshot, overlay: Overlay): Snapshot {
  return {
    ...stored,
    accounts: layeredLookup(overlay.accounts, stored.accounts),
    orders: layeredLookup(overlay.orders, stored.orders),
    entriesOf: {
      get: (userId) => [...(stored.entriesOf.get(userId) ?? []), ...(overlay.entriesOf.get(userId) ?? [])],
      has: (userId) => stored.entriesOf.has(userId) || overlay.entriesOf.has(userId),
    },
  }
}

/** What is known by key, one thing on top of another. */
export function layeredLookup<T>(top: Lookup<T>, base: Lookup<T>): Lookup<T> {
  return { get: (key) => top.get(key) ?? base.get(key), has: (key) => top.has(key) || base.has(key) }
}

/** An account after one more entry. */
export function afterPosting(account: Account, { points, counts }: Pick<Entry, 'points' | 'counts'>): Account {
  return {
    ...account,
    points: account.points + points,
    levelPoints: account.levelPoints + (counts ? points : 0n),
    entries: account.entries + 1n,
  }
}

export function fitsWire(points: bigint): boolean {
  return -WHOLE_MAX <= points && points <= WHOLE_MAX
}

import assert from 'node:assert/strict'
import test from 'node:test'
import { readerOf } from '../../src/database/db/reader.ts'
import type { Db, RetryNote } from '../../src/database/db/transaction.ts'
import type { LedgerChange } from '../../src/engine/points/ledger/pending-ledger.ts'
import type { Account, Entry, RecordedOrder } from '../../src/engine/points/model.ts'
import { listEntries } from '../../src/ledger/entries.ts'
import { findOrders } from '../../src/ledger/recorded-orders.ts'
import { readSnapshot } from '../../src/ledger/snapshots.ts'
import { lockAccounts, writeToLedger } from '../../src/ledger/write-ledger.ts'
import { forEachDatabase } from '../support/databases.ts'

const NOW = '2026-06-01T12:00:00.000Z'
const AT = { at: NOW, keepsMovements: true }
const soon = () => performance.now() + 60_000
const odd = [
  '\\',
  '\\.',
  '\\N',
  'a\tb',
  'a\nb',
  'a\r\nb',
  '\u0001',
  '"',
  "'",
  'ä\u{1f600}',
  '{}',
  ' x ',
  '\\\\t',
  'NULL',
]

const anAccount: Account = { points: 0n, levelPoints: 0n, orders: 0n, entries: 0n, rev: 0n }

function aRecordedOrder(index: number): RecordedOrder {
  const text = odd[index % odd.length]!
  return {
    order: {
      id: `o${index} ${text}`,
      userId: `u${index} ${text}`,
      at: '2026-05-01T00:00:00.500Z',
      status: 'placed',
      total: 12_345_678_901_234_567n,
      discount: 0n,
      ...(index % 2 === 0 ? {} : { qty: 15_000n }),
      referralCode: text,
      subscriptPoints: index % 3 === 0,
      lines: [{ sku: text, amount: 10_000n, qty: 5_000n }, { qty: 10_000n }],
    },
    facts: {
      program: 7,
      player: {
        known: true,
        points: 9_007_199_254_740_993n,
        levelPoints: -1n,
        orders: 2n,
        region: text,
        district: '',
        country: 'India',
        gender: 'female',
        ...(index % 2 === 0 ? {} : { dateOfBirth: '1990-01-31' }),
      },
      prices: new Map([
        [text, 45_000n],
        ['unknown', undefined],
      ]),
      codes: new Map([[text, { referrerId: text }]]),
    },
    points: 9_007_199_254_740_993n,
    ...(index % 2 === 0 ? {} : { referrer: { userId: `r ${text}`, points: 5n } }),
    rev: 1n,
    recordedAt: NOW,
    ...(index % 2 === 0 ? {} : { first: { order: '0123456789abcdef', prices: 'f'.repeat(16) } }),
  }
}

function entriesOf({ order: { id, userId }, points }: RecordedOrder, index: number): Entry[] {
  const order = { id, revision: 1n, program: 7 }
  return [
    { userId, seq: 1n, kind: 'order', points, counts: true, at: '2026-05-01T00:00:00.500Z', order },
    {
      userId,
      seq: 2n,
      kind: 'adjustment',
      points: -5n,
      counts: false,
      at: NOW,
      adjustment: { id: odd[index % odd.length]!, reason: `why ${odd[(index + 1) % odd.length]}` },
    },
  ]
}

/** The changes of recording this many orders, each of a different player. */
function aChange(count: number): LedgerChange {
  const recorded = Array.from({ length: count }, (_, index) => aRecordedOrder(index))
  return {
    accounts: new Map(
      recorded.map(({ order, points }) => [
        order.userId,
        { ...anAccount, points: points - 5n, orders: 1n, entries: 2n, firstOrderId: order.id },
      ]),
    ),
    orders: new Map(recorded.map((one) => [one.order.id, one])),
    entries: recorded.flatMap(entriesOf),
  }
}

/** The change of each order by itself. */
function inParts({ accounts, orders, entries }: LedgerChange): LedgerChange[] {
  return [...orders.values()].map((recorded) => ({
    accounts: new Map([[recorded.order.userId, accounts.get(recorded.order.userId)!]]),
    orders: new Map([[recorded.order.id, recorded]]),
    entries: entries.filter(({ userId }) => userId === recorded.order.userId),
  }))
}

async function write(db: Db, changes: readonly LedgerChange[]): Promise<void> {
  await db.transaction(async (tx) => {
    for (const change of changes) await writeToLedger(tx, change, [], AT)
  }, soon())
}

async function tablesOf(db: Db): Promise<object[]> {
  const tables = ['accounts', 'orders', 'order_owners', 'entries']
  const sql = tables
    .map((table) => `select '${table}' as name, to_jsonb(t)::text as row from ${table} t`)
    .join(' union all ')
  return readerOf(db, soon()).query(`${sql} order by 1, 2`)
}

forEachDatabase((_, openTestDb) => {
  test('many orders at once are stored as each would be alone, whatever their texts contain', async (t) => {
    const change = aChange(60)
    const db = await openTestDb(t)
    await write(db, inParts(change))
    const oneByOne = await tablesOf(db)
    assert.equal(oneByOne.length, 60 * 5)
    await db.transaction((tx) => tx.script('truncate accounts, orders, order_owners, entries'), soon())
    await write(db, [change])
    assert.deepEqual(await tablesOf(db), oneByOne)
  })

  test('records are read back as written', async (t) => {
    const db = await openTestDb(t)
    const change = aChange(20)
    await write(db, [change])
    const reader = readerOf(db, soon())
    const orders = [...change.orders.values()]
    const keys = orders.map(({ order }) => ({ userId: order.userId, orderId: order.id }))
    assert.deepEqual(await findOrders(reader, keys), orders)
    const snapshot = await readSnapshot(
      reader,
      keys.map((key) => ({ ...key, skus: [], code: '' })),
    )
    assert.deepEqual(snapshot.orders, change.orders)
    assert.deepEqual(
      snapshot.accounts,
      new Map([...change.accounts].map(([userId, account]) => [userId, { ...account, rev: 1n }])),
    )
    const [adjustment, order] = await listEntries(reader, keys[0]!.userId, { before: 3n, limit: 10 })
    assert.deepEqual(adjustment, {
      seq: '2',
      kind: 'adjustment',
      points: '-5',
      counts: false,
      order_id: null,
      revision: null,
      program: null,
      at: NOW,
      recorded_at: NOW,
      change: null,
      adjustment_id: odd[0],
      redemption_id: null,
      reason: `why ${odd[1]}`,
      usable_on: null,
      expires_on: null,
      explanation: null,
      spent_on: null,
    })
    assert.deepEqual([order!.seq, order!.order_id, order!.revision, order!.program], ['1', keys[0]!.orderId, '1', 7])
  })

  test('an order recorded again replaces its last revision, but keeps the time of its first recording', async (t) => {
    const db = await openTestDb(t)
    const change = aChange(1)
    await write(db, [change])
    const [recorded] = change.orders.values()
    const again: RecordedOrder = {
      ...recorded!,
      order: { ...recorded!.order, status: 'cancelled', at: '2026-05-02T00:00:00.000Z' },
      points: 0n,
      referrer: { userId: 'r', points: 1n },
      rev: 2n,
      first: { order: 'a'.repeat(16), prices: 'b'.repeat(16) },
    }
    const later = '2026-06-02T12:00:00.000Z'
    const changed = { accounts: new Map(), orders: new Map([[again.order.id, again]]), entries: [] }
    await db.transaction((tx) => writeToLedger(tx, changed, [], { ...AT, at: later }), soon())
    const { userId, id: orderId } = again.order
    const reader = readerOf(db, soon())
    assert.deepEqual(await findOrders(reader, [{ userId, orderId }]), [{ ...again, recordedAt: later }])
    const [row] = await reader.query<{ recorded_at: string }>('select recorded_at from orders')
    assert.equal(row!.recorded_at, '2026-06-01 12:00:00+00')
  })

  test('a request that read an account or order id which another one has written since runs again', async (t) => {
    for (const count of [1, 60]) {
      const notes: RetryNote[] = []
      const db = await openTestDb(t, { onRetry: (note) => notes.push(note) })
      const change = aChange(count)
      await write(db, [change])
      const attempts: number[] = []
      for (const outdated of [
        { ...change, orders: new Map(), entries: [] },
        { ...change, accounts: new Map() },
      ]) {
        await db.transaction(async (tx, attempt) => {
          attempts.push(attempt)
          if (attempt === 1) await writeToLedger(tx, outdated, [], AT)
        }, soon())
      }
      assert.deepEqual(attempts, [1, 2, 1, 2])
      assert.deepEqual(
        notes.map(({ error }) => (error as Error).message),
        ['another request writes to the same account', 'another request records an order of the same id'],
      )
    }
  })

  test('locking accounts creates those of known players, and that of the owner of a referral code', async (t) => {
    const db = await openTestDb(t)
    const player = (id: string, code: string) =>
      `('${id}', '', '', '', '', '1990-01-31', '', '${code}', '', '', '', '', '', '', 1, now(), now())`
    await db.transaction(async (tx) => {
      await tx.script(
        `insert into players values ${player('a', '')}, ${player('b', 'B')}, ${player('c', 'C')}, ${player('d', 'C')}`,
      )
      await lockAccounts(tx, [
        { userId: 'a', orderId: 'o-1', code: 'B' },
        { userId: 'a', orderId: 'o-1', code: 'C' },
        { userId: 'nobody' },
      ])
    }, soon())
    const rows = await readerOf(db, soon()).query('select user_id, points, rev from accounts order by user_id')
    assert.deepEqual(
      rows,
      ['a', 'b'].map((user_id) => ({ user_id, points: 0, rev: 1 })),
    )
  })
})

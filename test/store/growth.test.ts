import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { before } from 'node:test'
import { loadModule } from 'libpg-query'
import { allStatements, DISTRIBUTION, shapesOf } from '../support/growing-sql.ts'

/** Statements that were there before this test. They are rewritten when Laurel runs on a cluster; no other may join them. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'src/ledger/entries.sql: entries-adjustments': ['unnest joined to players without `user_id = any`'],
  'src/ledger/entries.sql: entries-first': ['lateral with limit, having or offset'],
  'src/ledger/entries.sql: entries-window-sums': ['correlated subquery beside unnest'],
  'src/ledger/histories.sql: histories': ['correlated subquery beside unnest'],
  'src/ledger/histories.sql: points-of-accounts': [
    'lateral with limit, having or offset',
    'unnest joined to players without `user_id = any`',
  ],
  'src/ledger/histories.sql: points-of-players': ['left join from a limit'],
  'src/ledger/recorded-orders.sql: orders-find': ['unnest joined to players without `user_id = any`'],
  'src/ledger/snapshots.sql: order-records': [
    'lateral with limit, having or offset',
    'unnest joined to players without `user_id = any`',
  ],
  'src/ledger/tallies.sql: statistics-backfill-page': ['lateral with limit, having or offset'],
  'src/ledger/tallies.sql: statistics-check': ['full join using'],
  'src/ledger/write-ledger.sql: accounts-lock': ['lateral with limit, having or offset'],
  'src/resources/backtests/store.sql: backtest-players': ['lateral union without from'],
  'src/resources/prediction-log/store.sql: predictions-last': [
    'lateral with limit, having or offset',
    'unnest joined to players without `user_id = any`',
  ],
  'src/resources/prediction-log/store.sql: predictions-of-player': [
    'lateral with limit, having or offset',
    'left join from a limit',
  ],
  'src/resources/verification/store.sql: ledger-check-accounts': ['full join using', 'left join from a limit'],
  'src/resources/verification/store.sql: ledger-check-orders': ['left join from a limit'],
}

before(loadModule)

test('every table says where its rows would lie on a cluster of servers', () => {
  const schema = readFileSync(new URL('../../src/database/schema.sql', import.meta.url), 'utf8')
  const tables = [...schema.matchAll(/^create table (\w+) \((.*?)^\)/gms)].map(([, name, columns]) => ({
    name: name!,
    columns: columns!,
  }))
  assert.deepEqual(Object.keys(DISTRIBUTION).sort(), tables.map(({ name }) => name).sort())
  for (const { name, columns } of tables) {
    const by = DISTRIBUTION[name]!
    if (by === 'reference') continue
    assert.match(
      columns,
      new RegExp(`^  ${by} +text collate "C" not null`, 'm'),
      `${name} has no column ${by} that every server compares alike`,
    )
    for (const [, key] of columns.matchAll(/^ {2}(?:primary key|unique) \((.*)\)/gm))
      assert(key!.split(', ').includes(by), `a key of ${name} leaves out ${by}: no server could see that it is unique`)
  }
})

test('no new statement has a shape that a cluster of servers refuses, or answers wrongly or slowly', () => {
  const found = allStatements().flatMap(({ name, sql }) => {
    const shapes = shapesOf(sql)
    return shapes.length === 0 ? [] : [[name, shapes] as const]
  })
  assert.deepEqual(Object.fromEntries(found), KNOWN)
})

test('each of these shapes is recognized', () => {
  const examples: readonly (readonly [shapes: readonly string[], sql: string])[] = [
    [[], 'select * from accounts where user_id = any ($1::text[]) limit 3'],
    [
      ['lateral with limit, having or offset'],
      'select 1 from products cross join lateral (select from orders limit 1) o',
    ],
    [['lateral union without from'], 'select 1 from orders o cross join lateral (select o.rev union all select 2) x'],
    [
      ['correlated subquery beside unnest'],
      `select (select max(rev) from orders o where o.order_id = asked.id) from unnest($1::text[]) as asked (id)`,
    ],
    [['full join using'], 'select 1 from orders full join entries using (user_id)'],
    [
      ['left join from a limit'],
      'select 1 from (select * from orders limit 5) o left join accounts a on a.user_id = o.user_id',
    ],
    [
      ['left join from a limit'],
      'with page as (select * from orders limit 5) select 1 from page left join accounts a on a.user_id = page.user_id',
    ],
    [
      ['unnest joined to players without `user_id = any`'],
      'select 1 from unnest($1::text[]) as asked (id) join orders o on o.user_id = asked.id',
    ],
    [
      [],
      'select 1 from unnest($1::text[]) as asked (id) join orders o on o.user_id = asked.id and o.user_id = any ($1::text[])',
    ],
    [['pg_export_snapshot'], 'select pg_export_snapshot(), (select count(*) from orders)'],
    [[], 'select 1 from feed_days full join feed_last using (source)'],
  ]
  for (const [shapes, sql] of examples) assert.deepEqual(shapesOf(sql), shapes, sql)
})

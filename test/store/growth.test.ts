import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { before } from 'node:test'
import { loadModule } from 'libpg-query'
import { TABLE_PLACES } from '../../src/database/db/table-places.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { allStatements, indexesOfNoServer, shapesOf } from '../support/growing-sql.ts'

const schema = readFileSync(new URL('../../src/database/schema.sql', import.meta.url), 'utf8')

before(loadModule)

test('every table says where its rows would lie on a cluster of servers', () => {
  const tables = [...schema.matchAll(/^create table (\w+) \((.*?)^\)/gms)].map(([, name, columns]) => ({
    name: name!,
    columns: columns!,
  }))
  assert.deepEqual(Object.keys(TABLE_PLACES).sort(), tables.map(({ name }) => name).sort())
  for (const { name, columns } of tables) {
    const by = TABLE_PLACES[name]!
    if (by === 'reference' || by === 'coordinator') continue
    assert.match(
      columns,
      new RegExp(`^  ${by} +text collate "C" not null`, 'm'),
      `${name} has no column ${by} that every server compares alike`,
    )
    for (const [, key] of columns.matchAll(/^ {2}(?:primary key|unique) \((.*)\)/gm))
      assert(key!.split(', ').includes(by), `a key of ${name} leaves out ${by}: no server could see that it is unique`)
  }
})

test('a unique index has the column by which its table is distributed', () => {
  assert.deepEqual(indexesOfNoServer(schema), [])
  assert.deepEqual(
    indexesOfNoServer(`
      create unique index on_players on players (lower(user_id), email);
      create unique index on_products on products (sku);
      create unique index on_entries on entries (user_id, adjustment_id) where adjustment_id is not null;
      create index on_orders on orders (rev);`),
    ['on_players'],
  )
})

test('only one file exports a snapshot, which a cluster of servers does not share', () => {
  const files = globSync('src/**/*.{ts,sql}', { cwd: PROJECT })
  assert.deepEqual(
    files.filter((path) => readFileSync(join(PROJECT, path), 'utf8').includes('pg_export_snapshot')),
    ['src/database/db/shared-snapshot.ts'],
  )
})

test('no statement has a shape that a cluster of servers refuses, or answers wrongly or slowly', () => {
  const found = allStatements().flatMap(({ name, sql }) => {
    const shapes = shapesOf(sql)
    return shapes.length === 0 ? [] : [[name, shapes] as const]
  })
  assert.deepEqual(Object.fromEntries(found), {})
})

test('each of these shapes is recognized', () => {
  const examples: readonly (readonly [shapes: readonly string[], sql: string])[] = [
    [[], 'select * from accounts where user_id = any ($1::text[]) limit 3'],
    [
      ['lateral with limit, having or offset'],
      'select 1 from products cross join lateral (select from orders limit 1) o',
    ],
    [
      ['correlated subquery over a common table expression'],
      `with page as materialized (select * from accounts limit 5)
       select (select max(rev) from orders o where o.user_id = page.user_id) from page`,
    ],
    [
      ['function in `do update` that may not be immutable'],
      `insert into accounts as a (user_id) select $1::text on conflict (user_id) do update set movements = concat_ws(',', a.movements)`,
    ],
    [['subquery without columns'], 'select exists (select from orders where rev = $1)'],
    [['lateral union without from'], 'select 1 from orders o cross join lateral (select o.rev union all select 2) x'],
    [
      ['correlated subquery beside unnest'],
      `select (select max(rev) from orders o where o.order_id = asked.id) from unnest($1::text[]) as asked (id)`,
    ],
    [
      ['correlated subquery beside unnest'],
      `with asked as (select id from unnest($1::text[]) as u (id))
       select (select max(rev) from orders o where o.order_id = a.id) from asked a`,
    ],
    [
      ['correlated subquery beside unnest', 'unnest joined to players without `user_id = any`'],
      `select 1 from jsonb_to_recordset($1) as asked (id text)
       join products p on exists (select 1 from orders o where o.order_id = asked.id)`,
    ],
    [['full join using'], 'select 1 from orders full join entries using (user_id)'],
    [['full join using'], 'select 1 from orders natural full join entries'],
    [
      ['left join from a limit'],
      'select 1 from (select * from orders limit 5) o left join accounts a on a.user_id = o.user_id',
    ],
    [
      ['left join from a limit'],
      'with page as (select * from orders limit 5) select 1 from page left join accounts a on a.user_id = page.user_id',
    ],
    [
      [],
      `with page as (select * from orders limit 5), them as materialized (select * from accounts where user_id in (select user_id from page))
       select 1 from page left join them on them.user_id = page.user_id`,
    ],
    [
      ['left join from a limit'],
      `with page as (select * from orders limit 5), them as (select * from accounts where user_id in (select user_id from page))
       select 1 from page left join them on them.user_id = page.user_id`,
    ],
    [
      [],
      `select 1 from (select * from orders where orders.user_id = $1 limit 5) o left join accounts a on a.user_id = $1 and a.orders > o.rev
       cross join lateral (select 1 from entries e where e.user_id = $1 and e.seq > o.rev limit 1) as x`,
    ],
    [
      ['left join from a limit'],
      `with page as (select * from orders limit 5)
       select 1 from page join players p on p.user_id = page.user_id left join accounts a on a.user_id = page.user_id`,
    ],
    [
      ['left join from a limit'],
      'select 1 from accounts a right join (select * from orders limit 5) o on a.user_id = o.user_id',
    ],
    [[], 'select 1 from (select * from orders limit 5) o right join accounts a on a.user_id = o.user_id'],
    [
      ['unnest joined to players without `user_id = any`'],
      'with asked as (select unnest($1::text[]) as id) select 1 from asked a join orders o on o.user_id = a.id',
    ],
    [
      ['unnest joined to players without `user_id = any`'],
      'select 1 from jsonb_to_recordset($1) as asked (id text) join orders o on o.user_id = asked.id',
    ],
    [
      ['unnest joined to players without `user_id = any`'],
      'select 1 from unnest($1::text[]) as asked (id) join orders o on o.user_id = asked.id',
    ],
    [
      [],
      'select 1 from unnest($1::text[]) as asked (id) join orders o on o.user_id = asked.id and o.user_id = any ($1::text[])',
    ],
    [[], 'select 1 from feed_days full join feed_last using (source)'],
    [
      ['write on the coordinator that reads a table of every server'],
      'delete from unknown_products where sku in (select sku from products)',
    ],
  ]
  for (const [shapes, sql] of examples) assert.deepEqual(shapesOf(sql), shapes, sql)
})

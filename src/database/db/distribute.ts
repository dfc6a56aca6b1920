/*
 * Tables on a cluster of servers (Citus): where their rows lie, and how they get there.
 */
import { OperatorError } from '../../errors.ts'
import type { Queryable } from './driver.ts'
import { IS_CLUSTER } from './is-cluster.ts'
import { readerOf } from './reader.ts'
import { TABLE_PLACES } from './table-places.ts'
import type { Db } from './transaction.ts'

/** The table whose shards those of all tables of players follow. */
const FIRST = 'players'
/** More make requests about several players slower; a shard can be split later (docs/scaling.md). */
const SHARDS_PER_SERVER = 1
const TIMEOUT_MS = 24 * 3_600_000

const tablesSql = `
  select c.relname as name, p.logicalrelid is not null as "isPlaced", coalesce(column_to_column_name(p.logicalrelid, p.partkey), 'reference') as place,
    (select count(*)::int from pg_dist_shard s where s.logicalrelid = c.oid) as shards
  from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
  order by c.relname <> '${FIRST}', c.relname`
const serversSql = 'select count(*)::int as servers from pg_dist_node where isactive and shouldhaveshards'
const reference = 'select create_reference_table($1::regclass)::text as done'
const distributed =
  'select create_distributed_table($1::regclass, $2::text, colocate_with => $3::text, shard_count => $4::int)::text as done'
const emptied = 'select truncate_local_data_after_distributing_table($1::regclass)::text as done'

type FoundTable = Readonly<{ name: string; isPlaced: boolean; place: string; shards: number }>

/**
 * Puts the rows of a database where they belong on its cluster, in one transaction: players in so many shards, by default one for each server. What is
 * there already stays. Nobody may use the database meanwhile. Returns the names of the tables that were moved. Errors: OperatorError if there is no
 * cluster, it has no servers, or a table lies elsewhere; Unavailable.
 */
export async function distributeTables(db: Db, shards: number | undefined): Promise<string[]> {
  return await db.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0')
    await tx.query('set local idle_in_transaction_session_timeout = 0')
    await tx.query('lock table laurel_schema_version in exclusive mode')
    if (!(await isCluster(tx))) throw new OperatorError('the database is on one server: its extension citus is missing')
    return await place(tx, shards)
  }, performance.now() + TIMEOUT_MS)
}

/** Puts tables that a migration has made where the others lie, in its transaction; does nothing on one server. Errors: see `distributeTables`. */
export async function placeNewTables(tx: Queryable): Promise<void> {
  if ((await isCluster(tx)) && (await findTables(tx)).some(({ isPlaced }) => isPlaced)) await place(tx, undefined)
}

/** The script of a migration as this database takes it. */
export async function scriptOn(tx: Queryable, script: string): Promise<string> {
  return (await isCluster(tx)) ? blockOf(script) : script
}

/**
 * The script as one block of statements, each of which ends with a semicolon. The coordinator of a cluster sends the other servers the text that it was
 * sent itself, for an index or a new name of a column, and they refuse a text of several statements; those of a block are sent one by one.
 */
export const blockOf = (script: string) => `do $migration$ begin\n${script}\nend $migration$`

/** Errors: OperatorError if only some of the tables lie where they belong on a cluster. */
export async function assertPlaced(db: Db, deadlineAt: number): Promise<void> {
  const reader = readerOf(db, deadlineAt)
  if (!(await isCluster(reader))) return
  const tables = await findTables(reader)
  const missing = tables.filter((table) => !table.isPlaced && placeOf(table) !== 'coordinator')
  if (missing.length === 0 || !tables.some(({ isPlaced }) => isPlaced)) return
  const names = missing.map(({ name }) => name).join(', ')
  throw new OperatorError(`not distributed over the cluster: ${names}: run laurel migrate --distribute`)
}

async function isCluster(db: Queryable): Promise<boolean> {
  return (await db.query(IS_CLUSTER)).length > 0
}

/** The tables of the schema that are ours. */
async function findTables(db: Queryable): Promise<FoundTable[]> {
  return (await db.query<FoundTable>(tablesSql)).filter(({ name }) => name in TABLE_PLACES)
}

const placeOf = ({ name }: FoundTable) => TABLE_PLACES[name]!

async function place(tx: Queryable, wanted: number | undefined): Promise<string[]> {
  const [{ servers }] = (await tx.query<{ servers: number }>(serversSql)) as [{ servers: number }]
  if (servers === 0) throw new OperatorError('the cluster has no servers yet: add them with citus_add_node')
  const tables = await findTables(tx)
  const found = tables.find(({ name }) => name === FIRST)?.shards ?? 0
  if (found > 0 && wanted !== undefined && wanted !== found)
    throw new OperatorError(`players are in ${found} shards already: leave out --shards`)
  const shards = found > 0 ? found : (wanted ?? SHARDS_PER_SERVER * servers)
  const moved: string[] = []
  for (const table of tables) {
    const { name, isPlaced } = table
    const to = placeOf(table)
    if (isPlaced && table.place !== to)
      throw new OperatorError(
        `the table ${name} is distributed by ${table.place}, expected ${to}: undistribute it first`,
      )
    if (isPlaced || to === 'coordinator') continue
    if (to === 'reference') await tx.query(reference, [name])
    else if (to === 'user_id' && name !== FIRST) await tx.query(distributed, [name, to, FIRST, null])
    else await tx.query(distributed, [name, to, 'none', shards])
    await tx.query(emptied, [name])
    moved.push(name)
  }
  return moved
}

import type { Queryable } from './db.ts'

// The formulas of autovacuum, which does not exist in a database of one process.
const dueTables = `
  select format('%I.%I', s.schemaname, s.relname) as name,
    s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
      or (c.reltuples < 0 and pg_relation_size(s.relid) > 0) as analyze_due, -- the counts are lost in a crash
    s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
      or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0) as vacuum_due
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  order by s.n_mod_since_analyze desc`

interface DueTable {
  readonly name: string
  readonly analyze_due: boolean
  readonly vacuum_due: boolean
}

/**
 * Analyses and vacuums the tables that changed much, the most changed first, then writes a checkpoint.
 * `mayGoOn` is asked before every step: the work is given up, to be taken up another time, when somebody else needs the session.
 */
export async function maintain(session: Queryable, mayGoOn: () => boolean): Promise<boolean> {
  await session.query('select pg_stat_force_next_flush()')
  const steps = (await session.query<DueTable>(dueTables)).flatMap(statementFor)
  for (const step of [...steps, 'checkpoint']) {
    if (!mayGoOn()) return false
    await session.query(step)
  }
  return true
}

function statementFor({ name, analyze_due, vacuum_due }: DueTable): string[] {
  if (vacuum_due) return [`vacuum (analyze) ${name}`]
  return analyze_due ? [`analyze ${name}`] : []
}

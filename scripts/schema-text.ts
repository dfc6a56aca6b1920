/*
 * The schema of a migrated database as SQL for readers: the content of src/database/schema.sql. Both databases give the same text.
 */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Queryable } from '../src/database/db/driver.ts'

const MIGRATIONS = fileURLToPath(new URL('../src/database/migrations/', import.meta.url))

const HEAD = `-- The schema that the migrations make, for readers; nothing runs this file. \`npm run schemas\` writes it, and a test compares it with both
-- databases. Comments are those of the migrations.
`

const columnsSql = `
  select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as not_null,
    case when a.attcollation <> t.typcollation then quote_ident(l.collname) end as collation,
    pg_get_expr(d.adbin, d.adrelid, true) as fallback
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_collation l on l.oid = a.attcollation
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  order by c.relname collate "C", a.attnum`
// PostgreSQL 18 keeps NOT NULL as a constraint, too.
const constraintsSql = `
  select conrelid::regclass::text as table_name, pg_get_constraintdef(oid, true) as definition
  from pg_constraint
  where connamespace = 'public'::regnamespace and contype <> 'n'
  order by conname collate "C"`
const indexesSql = `
  select indrelid::regclass::text as table_name, pg_get_indexdef(indexrelid, 0, true) as definition
  from pg_index
  join pg_class c on c.oid = indexrelid
  where c.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid)
  order by c.relname collate "C"`
const optionsSql = `
  select relname as table_name, array_to_string(reloptions, ', ') as definition
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r' and reloptions is not null`
// Except what belongs to an extension.
const othersSql = `
  select name
  from (
    select oid, relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind not in ('r', 'i')
    union all
    select oid, proname from pg_proc where pronamespace = 'public'::regnamespace
  ) as others
  where oid not in (select objid from pg_depend where deptype = 'e')`

type Column = Readonly<{
  table_name: string
  name: string
  type: string
  not_null: boolean
  collation: string | null
  fallback: string | null
}>
type Definition = Readonly<{ table_name: string; definition: string }>

/** Every table with its columns, constraints and indexes. Errors: if the database contains anything that this does not show. */
export async function readSchemaText(db: Queryable): Promise<string> {
  const others = await db.query<{ name: string }>(othersSql)
  if (others.length > 0)
    throw new Error(`scripts/schema-text.ts does not show these yet: ${others.map(({ name }) => name)}`)
  const columns = await db.query<Column>(columnsSql)
  const constraints = await db.query<Definition>(constraintsSql)
  const indexes = await db.query<Definition>(indexesSql)
  const options = await db.query<Definition>(optionsSql)
  const comments = readComments()
  const names = [...new Set(columns.map(({ table_name }) => table_name))]
  const tables = names.map((table) => {
    const of = <T extends { table_name: string }>(all: readonly T[]) => all.filter((one) => one.table_name === table)
    const own = of(columns)
    const width = Math.max(...own.map(({ name }) => name.length))
    const lines = [
      ...own.map((column) => ({ text: columnText(column, width), comment: comments.get(`${table}.${column.name}`) })),
      ...of(constraints).map(({ definition }) => ({ text: plain(definition), comment: undefined })),
    ]
    const body = lines.map(({ text, comment }, index) => {
      const comma = index < lines.length - 1 ? ',' : ''
      return `  ${text}${comma}${comment === undefined ? '' : ` -- ${comment}`}\n`
    })
    const indexLines = of(indexes).map(({ definition }) => `${plain(definition)};\n`)
    const storage = of(options).map(({ definition }) => ` with (${definition})`)
    return `${comments.get(table) ?? ''}create table ${table} (\n${body.join('')})${storage.join('')};\n${indexLines.join('')}`
  })
  return [HEAD, ...tables].join('\n')
}

function columnText({ name, type, not_null, collation, fallback }: Column, width: number): string {
  const parts = [
    name.padEnd(width),
    type.replace('timestamp with time zone', 'timestamptz'),
    collation && `collate ${collation}`,
    fallback && `default ${fallback}`,
    not_null && 'not null',
  ]
  return parts.filter(Boolean).join(' ')
}

/** A definition as we write SQL: keywords in lower case, and the default index method left out. */
function plain(definition: string): string {
  const lower = definition.replace(/"[^"]*"|'[^']*'|\b[A-Z]+\b/g, (word) =>
    /^["']/.test(word) ? word : word.toLowerCase(),
  )
  return lower.replace(' using btree', '')
}

/** What the migrations say about tables (whole lines) and about their columns, by `table.column` (without the dashes). */
function readComments(): Map<string, string> {
  const comments = new Map<string, string>()
  for (const file of globSync(`${MIGRATIONS}*.sql`).sort()) {
    let above = ''
    let table = ''
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line.startsWith('-- ')) {
        above += `${line}\n`
        continue
      }
      const made = /^create table (\w+)/.exec(line)?.[1]
      table = made ?? /^alter table (\w+)/.exec(line)?.[1] ?? table
      if (made !== undefined && above !== '') comments.set(made, above)
      const [, column, comment] = /(?:^ {2}|add column )(\w+) .*-- (.+)$/.exec(line) ?? []
      if (column !== undefined) comments.set(`${table}.${column}`, comment!)
      above = ''
    }
  }
  return comments
}

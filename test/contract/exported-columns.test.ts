/*
 * A column that an export forgets is lost in an import, and nobody notices: each one is exported and imported, or left out here with the reason.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { loadModule, parseSync } from 'libpg-query'
import { BACKUP_TABLES } from '../../src/database/backup/tables.ts'
import { sqlFile } from '../../src/database/db/sql-file.ts'
import { EXPORT_FIELDS, NOUNS_OF_ALL } from '../../src/resources/exports/nouns.ts'
import { PROJECT } from '../support/docs-blocks.ts'

/** Columns of exported tables that an export of everything leaves out. */
const LEFT_OUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  players: { rev: 'counts the writes to a row of this database' },
  products: { rev: 'counts the writes to a row of this database' },
  redemptions: { rev: 'counts the writes to a row of this database' },
  entries: { level_points: 'no release has ever written it' },
}

/** Tables whose records have another name. */
const TABLES: Readonly<Record<string, string>> = { attributes: 'product_attributes' }

/** Tables that it leaves out. */
const TABLES_LEFT_OUT: Readonly<Record<string, string>> = {
  ...reason('summed up again from entries and orders', [
    'account_activity',
    'account_changes',
    'account_figures',
    'account_sweeps',
    'account_totals',
    'accounts',
    'order_owners',
    'statistics_backfill',
    'statistics_days',
    'statistics_months',
    'tallies',
  ]),
  ...reason('counts of what this service was asked', ['feed_days', 'feed_last', 'service_times', 'unknown_products']),
  ...reason('belongs to this service, not to its shop', [
    'background_work',
    'jobs',
    'secrets',
    'sessions',
    'sign_in_codes',
    'tokens',
  ]),
  ...reason('says who did what with this service', ['acts']),
  ...reason('kept for some days only', ['differed_predictions', 'predictions']),
  ...reason('not published, and copied by hand', ['drafts']),
}

function reason(why: string, tables: readonly string[]): Record<string, string> {
  return Object.fromEntries(tables.map((table) => [table, why]))
}

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** All nodes of a kind below a value. */
function allOf(kind: string, value: unknown): Node[] {
  if (!isNode(value)) return []
  const own = isNode(value[kind]) ? [value[kind]] : []
  return [...own, ...Object.values(value).flatMap((below) => allOf(kind, below))]
}

const STORE = pathToFileURL(join(PROJECT, 'src/resources/exports/store.ts')).href
const statement = (name: string) => parseSync(sqlFile(STORE, name))
const lastName = ({ fields }: Node) =>
  (fields as readonly Node[]).map((field) => (field.String as Node | undefined)?.sval).at(-1)

const columnsOf = new Map<string, string[]>()
before(async () => {
  await loadModule()
  for (const table of allOf('CreateStmt', parseSync(readFileSync(join(PROJECT, 'src/database/schema.sql'), 'utf8')))) {
    const columns = allOf('ColumnDef', table.tableElts).map(({ colname }) => String(colname))
    columnsOf.set(String((table.relation as Node).relname), columns)
  }
})

for (const noun of NOUNS_OF_ALL)
  test(`each column of ${noun} is exported and imported, or left out with a reason (decision 159)`, () => {
    const table = TABLES[noun] ?? noun
    const [exported, imported] = [statement(`export-${noun}`), statement(`import-${noun}`)]
    const read = new Set(allOf('ColumnRef', exported).map(lastName))
    const written = allOf('InsertStmt', imported)
      .filter(({ relation }) => (relation as Node).relname === table)
      .flatMap(({ cols }) => allOf('ResTarget', cols).map(({ name }) => String(name)))
    const columns = columnsOf.get(table)!
    assert(columns.length >= 2, noun)
    const missing = columns.filter((column) => !read.has(column) || !written.includes(column))
    assert.deepEqual(missing, Object.keys(LEFT_OUT[noun] ?? {}))

    // What is read has a field, and each field is read back.
    const fields: readonly string[] = EXPORT_FIELDS[noun]
    const [select] = allOf('SelectStmt', exported)
    const targets = (select!.targetList as readonly Node[]).map(({ ResTarget: target }) => {
      const { name, val } = target as Node
      return String(name ?? lastName((val as Node).ColumnRef as Node))
    })
    const inState = noun === 'orders' ? ['state'] : []
    assert.deepEqual(
      targets.filter((name) => !fields.includes(name) && !inState.includes(name)),
      [],
    )
    const sent = allOf('ColumnDef', imported).map(({ colname }) => colname)
    assert.deepEqual(
      targets.filter((name) => !sent.includes(name)),
      [],
    )
  })

test('each table is exported, or left out with a reason (decision 159)', () => {
  const left = BACKUP_TABLES.filter((table) => !NOUNS_OF_ALL.some((noun) => (TABLES[noun] ?? noun) === table))
  assert.deepEqual(left.toSorted(), Object.keys(TABLES_LEFT_OUT).sort())
})

/*
 * What has to hold for SQL that a cluster of servers (Citus) is to run: which table lies where, and shapes of statements that it refuses, or
 * answers wrongly or slowly.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseSync } from 'libpg-query'
import { clusterSql, sqlFile } from '../../src/database/db/sql-file.ts'
import { TABLE_PLACES } from '../../src/database/db/table-places.ts'
import { PROJECT } from './docs-blocks.ts'

/** A node of a parsed statement: its kind, or a field, to what is below. */
type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Every node below a value, itself included. */
function* nodesIn(value: unknown): Generator<Node> {
  if (!isNode(value)) return
  yield value
  for (const below of Object.values(value)) yield* nodesIn(below)
}

/** All nodes of a kind below a value. */
function* allOf(kind: string, value: unknown): Generator<Node> {
  for (const node of nodesIn(value)) if (isNode(node[kind])) yield node[kind]
}

const has = (kind: string, value: unknown) => !allOf(kind, value).next().done

const columnNames = (ref: Node) =>
  (ref.fields as readonly Node[]).map(({ String: name }) => (isNode(name) ? String(name.sval) : '*'))

const isUnnest = ({ funcname }: Node) =>
  (funcname as readonly Node[]).some(({ String: name }) => isNode(name) && name.sval === 'unnest')

/** Whether a function in a FROM clause, or `unnest` anywhere, gives rows. */
const givesRows = (value: unknown) => has('RangeFunction', value) || [...allOf('FuncCall', value)].some(isUnnest)

/** The common table expression that a range names. */
const namedBy = ({ relname }: Node, tree: unknown) =>
  [...allOf('CommonTableExpr', tree)].find(({ ctename }) => ctename === relname)

/** Whether a FROM clause has rows of parameters: from a function in it, or in a common table expression that it names. */
const hasParameterRows = (from: unknown, tree: unknown) =>
  givesRows(from) || [...allOf('RangeVar', from)].some((range) => givesRows(namedBy(range, tree)?.ctequery))

const isLimited = ({ limitCount, limitOffset, havingClause }: Node) =>
  [limitCount, limitOffset, havingClause].some(isNode)

/** The names by which a FROM clause knows its rows. */
function aliasesIn(fromClause: unknown): Set<string> {
  const ranges = ['RangeVar', 'RangeFunction', 'RangeSubselect'].flatMap((kind) => [...allOf(kind, fromClause)])
  return new Set(ranges.map(nameOf))
}

function isCorrelated(sublink: Node, outer: ReadonlySet<string>): boolean {
  const own = aliasesIn(sublink)
  return [...allOf('ColumnRef', sublink)].some((ref) => {
    const [first, ...more] = columnNames(ref)
    return more.length > 0 && outer.has(first!) && !own.has(first!)
  })
}

/** Selects that join rows of parameters with something. */
const selectsFromUnnest = (tree: unknown) =>
  [...allOf('SelectStmt', tree)].filter(({ fromClause }) => hasParameterRows(fromClause, tree))

const joinConditions = (from: unknown) => [...allOf('JoinExpr', from)].map(({ quals }) => quals)

/** The functions that an upsert may call: a cluster refuses those whose result depends on settings, such as `concat_ws`. */
const IMMUTABLE: ReadonlySet<string> = new Set(['length'])

/** Each shape, by what is wrong with it. */
const SHAPES: Readonly<Record<string, (tree: unknown) => boolean>> = {
  'lateral with limit, having or offset': (tree) =>
    [...allOf('RangeSubselect', tree)].some(
      ({ lateral, subquery }) => lateral === true && [...allOf('SelectStmt', subquery)].some(isLimited),
    ),
  'lateral union without from': (tree) =>
    [...allOf('RangeSubselect', tree)].some(
      ({ lateral, subquery }) =>
        lateral === true &&
        [...nodesIn(subquery)].some(
          ({ op, larg, rarg }) =>
            op === 'SETOP_UNION' && [larg, rarg].some((arm) => isNode(arm) && arm.fromClause === undefined),
        ),
    ),
  'correlated subquery beside unnest': (tree) =>
    selectsFromUnnest(tree).some(({ fromClause, targetList, whereClause }) =>
      [...allOf('SubLink', [targetList, whereClause, joinConditions(fromClause)])].some((sublink) =>
        isCorrelated(sublink, aliasesIn(fromClause)),
      ),
    ),
  'correlated subquery over a common table expression': (tree) =>
    [...allOf('SelectStmt', tree)].some(
      ({ fromClause, targetList, whereClause }) =>
        !hasParameterRows(fromClause, tree) &&
        [...tablesJoinedIn(fromClause)].some((range) => namedBy(range, tree) !== undefined) &&
        [...allOf('SubLink', [targetList, whereClause])].some(
          (sublink) => [...tablesJoinedIn(sublink)].some(isDistributed) && isCorrelated(sublink, aliasesIn(fromClause)),
        ),
    ),
  'subquery without columns': (tree) =>
    [...allOf('SubLink', tree)].some(({ subselect }) =>
      [...allOf('SelectStmt', subselect)].some(
        ({ targetList, fromClause }) =>
          !Array.isArray(targetList) && [...tablesJoinedIn(fromClause)].some(isDistributed),
      ),
    ),
  'full join using': (tree) =>
    [...allOf('JoinExpr', tree)].some(
      ({ jointype, usingClause, isNatural }) =>
        jointype === 'JOIN_FULL' && (Array.isArray(usingClause) || isNatural === true),
    ),
  'left join from a limit': (tree) =>
    [...allOf('JoinExpr', tree)].some(
      ({ jointype, larg, rarg }) =>
        (jointype === 'JOIN_LEFT' && isLimitedRange(larg, tree) && readsTables(rarg, tree)) ||
        (jointype === 'JOIN_RIGHT' && isLimitedRange(rarg, tree) && readsTables(larg, tree)),
    ),
  'function in `do update` that may not be immutable': (tree) =>
    [...allOf('onConflictClause', tree)].some((clause) =>
      [...allOf('FuncCall', clause)].some(
        ({ funcname }) => !IMMUTABLE.has([...allOf('String', funcname)].map(({ sval }) => String(sval)).at(-1)!),
      ),
    ),
  'unnest joined to players without `user_id = any`': (tree) =>
    [...allOf('SelectStmt', tree), ...allOf('UpdateStmt', tree), ...allOf('DeleteStmt', tree)].some((statement) =>
      joinsWithoutAny(statement, tree),
    ),
}

/** Whether a range, one that it joins, or the common table expression that it names, is a select with a limit. */
function isLimitedRange(range: unknown, tree: unknown): boolean {
  if (!isNode(range)) return false
  if (isNode(range.JoinExpr))
    return [range.JoinExpr.larg, range.JoinExpr.rarg].some((joined) => isLimitedRange(joined, tree))
  if (isNode(range.RangeSubselect))
    return [...allOf('SelectStmt', range.RangeSubselect)].some(({ limitCount }) => isNode(limitCount))
  if (!isNode(range.RangeVar)) return false
  const named = namedBy(range.RangeVar, tree)
  return named !== undefined && isNode(((named.ctequery as Node).SelectStmt as Node | undefined)?.limitCount)
}

/** Whether a range is, or joins, a distributed table: one that is read as such, rather than before by a materialized common table expression. */
function readsTables(range: unknown, tree: unknown): boolean {
  return [...allOf('RangeVar', range)].some((one) => {
    const named = namedBy(one, tree)
    if (named === undefined) return isDistributed(one)
    return named.ctematerialized !== 'CTEMaterializeAlways' && readsTables(named.ctequery, tree)
  })
}

/** Tables that only the coordinator has are read there, as the results of common table expressions are. */
const SPREAD: ReadonlySet<string | undefined> = new Set(['user_id', 'order_id'])
const placeOf = ({ relname }: Node) => TABLE_PLACES[String(relname)]
const isDistributed = (range: Node) => SPREAD.has(placeOf(range))
const nameOf = ({ alias, relname }: Node) => String((isNode(alias) && alias.aliasname) || relname)

/** What a statement reads, and what it inserts into. */
const rangesIn = (tree: unknown): Node[] => [
  ...allOf('RangeVar', tree),
  ...[...allOf('InsertStmt', tree)].map(({ relation }) => relation as Node),
]

const isEquals = (name: unknown) => [...allOf('String', name)].some(({ sval }) => sval === '=')

/** Whether a statement reads and writes only what belongs to one player: one server runs it as it is. */
function isAboutOnePlayer(tree: unknown): boolean {
  const compared = [...allOf('A_Expr', tree)]
    .filter(({ kind, name, rexpr }) => kind === 'AEXPR_OP' && isEquals(name) && has('ParamRef', rexpr))
    .map(({ lexpr }) => [...allOf('ColumnRef', lexpr)].map(columnNames)[0] ?? [])
    .filter((names) => names.at(-1) === 'user_id')
    .map((names) => names.at(-2))
  const tables = rangesIn(tree).filter((range) => namedBy(range, tree) === undefined && isDistributed(range))
  return tables.every(
    (range) => compared.includes(nameOf(range)) || (compared.includes(undefined) && tables.length === 1),
  )
}

/** Without those of subqueries, which have conditions of their own. */
function* tablesJoinedIn(from: unknown): Generator<Node> {
  if (!isNode(from)) return
  if (isNode(from.RangeVar)) yield from.RangeVar
  for (const [kind, below] of Object.entries(from)) if (kind !== 'RangeSubselect') yield* tablesJoinedIn(below)
}

/** The shards of a table are only chosen by a comparison of its own column with parameters. */
function joinsWithoutAny({ fromClause, whereClause, usingClause, relation }: Node, tree: unknown): boolean {
  const from = [fromClause, usingClause]
  if (!hasParameterRows(from, tree)) return false
  const tables = [...tablesJoinedIn(from), ...(isNode(relation) ? [relation] : [])]
  const distributed = tables.filter((range) => placeOf(range) === 'user_id')
  const quals = [whereClause, joinConditions(from)]
  const compared = [...allOf('A_Expr', quals)]
    .filter(({ kind, rexpr }) => kind === 'AEXPR_OP_ANY' && has('ParamRef', rexpr))
    .map(({ lexpr }) => [...allOf('ColumnRef', lexpr)].map(columnNames)[0] ?? [])
    .filter((names) => names.at(-1) === 'user_id')
    .map((names) => names.at(-2))
  return distributed.some((range) => {
    const name = nameOf(range)
    return !compared.some((whose) => whose === name || (whose === undefined && distributed.length === 1))
  })
}

/** A statement that writes a table of the coordinator and reads one of every server is sent to another server, which lacks the former. */
function writesBesideReference(tree: unknown): boolean {
  const written = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'].flatMap((kind) => [...allOf(kind, tree)])
  return (
    written.some(({ relation }) => placeOf(relation as Node) === 'coordinator') &&
    rangesIn(tree).some((range) => placeOf(range) === 'reference')
  )
}

/** The shapes that a statement has, by their names; none where all tables are on every server, or one has all rows. Call `loadModule` first. */
export function shapesOf(sql: string): string[] {
  const tree = parseSync(sql)
  if (writesBesideReference(tree)) return ['write on the coordinator that reads a table of every server']
  if (!rangesIn(tree).some(isDistributed) || isAboutOnePlayer(tree)) return []
  return Object.entries(SHAPES).flatMap(([name, hasShape]) => (hasShape(tree) ? [name] : []))
}

/** The unique indexes on distributed tables that leave out the column by which they are distributed: no server could see what is unique. */
export function indexesOfNoServer(sql: string): string[] {
  return [...allOf('IndexStmt', parseSync(sql))].flatMap(({ unique, idxname, relation, indexParams }) => {
    const by = placeOf(relation as Node)
    const isSeen = !SPREAD.has(by) || [...allOf('IndexElem', indexParams)].some(({ name }) => name === by)
    return unique !== true || isSeen ? [] : [String(idxname)]
  })
}

/** What stands for the parts that code puts into statements. */
const PARTS: Readonly<Record<string, string>> = {
  tally_lists: '$1::text[]',
  tally_columns: 'part',
  lists: '$1::text[]',
  columns: 'part',
  updates: 'part = excluded.part',
  fingerprint: 'part',
  table: 'players',
  counts: 'part',
  added: 'part = 1',
  whose: 'user_id',
  sums: 'part',
  key: 'user_id',
  now: '$1::timestamptz',
}

/** Every statement of the `.sql` files as a cluster runs it, by file and name. */
export function allStatements(): readonly Readonly<{ name: string; sql: string }>[] {
  return globSync('src/**/*.sql', { cwd: PROJECT, exclude: ['src/database/**'] }).flatMap((path) => {
    const file = pathToFileURL(join(PROJECT, path))
    const names = [...readFileSync(file, 'utf8').matchAll(/^-- name: (\S+)$/gm)].map(([, name]) => name!)
    return names.flatMap((name) =>
      clusterSql(sqlFile(file.href.replace(/\.sql$/, '.ts'), name, PARTS), []).map(({ sql }) => ({
        name: `${path}: ${name}`,
        sql,
      })),
    )
  })
}

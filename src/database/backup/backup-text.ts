/*
 * The text of a backup: a line that says what it is, then each table as COPY, which `psql` reads too, then a last line.
 */
import { OperatorError } from '../../errors.ts'
import type { Queryable } from '../db/driver.ts'
import { textOfRows } from '../db/read-whole.ts'
import { BACKUP_TABLES, type TableColumn, tableColumns } from './tables.ts'

/** What a backup is of. `at`: everything committed before this moment (RFC 3339) is in it. */
export type BackupHead = Readonly<{ format: 1; laurel: string; schemaVersion: number; at: string }>

/** Called with how many rows were written so far, in all and of each table. */
export type OnRows = (rows: number, tables: ReadonlyMap<string, number>) => void

/** What a backup consists of, in this order: its head; and for each table its columns, then its rows, as lines of COPY. */
export type BackupPart = Readonly<
  { head: BackupHead } | { table: string; columns: readonly string[] } | { lines: string; rows: number }
>

const FORMAT = 1
const HEAD = '-- Laurel backup '
const LAST_LINE = '-- end of the backup'
const END_OF_TABLE = '\\.\n'
const TABLE = /^COPY (\w+) \((\w+(?:, \w+)*)\) FROM stdin;$/

/** A head is much shorter. */
const HEAD_MAX = 2 ** 20

/** The text of a backup in parts of about a megabyte. `tx` must be a transaction on one snapshot. */
export async function* writeBackupText(tx: Queryable, head: BackupHead, onRows: OnRows): AsyncGenerator<string> {
  yield `${HEAD}${JSON.stringify(head)}\n`
  const tables = new Map<string, number>()
  let before = 0
  for (const table of BACKUP_TABLES) {
    const columns = await tableColumns(tx, table)
    yield `COPY ${table} (${columns.map(({ name }) => name).join(', ')}) FROM stdin;\n`
    const select = `select ${lineSql(columns)} as line from ${table}`
    yield* textOfRows<Line>(tx, select, textOfLines, (rows) => {
      tables.set(table, rows)
      onRows(before + rows, tables)
    })
    before += tables.get(table) ?? 0
    yield END_OF_TABLE
  }
  yield `${LAST_LINE}\n`
}

type Line = Readonly<{ line: string }>

const textOfLines = (lines: readonly Line[]) => lines.map(({ line }) => `${line}\n`).join('')

/** The expression for a row as a line of COPY. */
function lineSql(columns: readonly TableColumn[]): string {
  const values = columns.map(({ name, isText }) => {
    const text = `${name}::text`
    return `coalesce(${isText ? ESCAPES.reduce((sql, [from, to]) => `replace(${sql}, ${from}, ${to})`, text) : text}, '\\N')`
  })
  return `concat_ws(e'\\t', ${values.join(', ')})`
}

/** The backslash is first: the others add some. */
const ESCAPES = [
  [`'\\'`, `'\\\\'`],
  [`e'\\t'`, `'\\t'`],
  [`e'\\n'`, `'\\n'`],
  [`e'\\r'`, `'\\r'`],
] as const

/**
 * Reads the text of a backup, in chunks of any size. Errors: OperatorError if it is none, is of a newer format, or has no end; nobody may keep what
 * was read until then.
 */
export async function* readBackupText(chunks: AsyncIterable<string>): AsyncGenerator<BackupPart> {
  let text = ''
  let hasHead = false
  let isInTable = false
  let isComplete = false
  for await (const chunk of chunks) {
    text += chunk
    for (let isMore = true; isMore; ) {
      if (isInTable) {
        const { lines, rest, isEnd } = linesIn(text)
        if (lines !== '') yield { lines, rows: countLines(lines) }
        text = rest
        isInTable = !isEnd
        isMore = isEnd
        continue
      }
      const end = text.indexOf('\n')
      isMore = end >= 0
      if (!isMore) continue
      const line = text.slice(0, end)
      text = text.slice(end + 1)
      if (isComplete) throw damaged('it goes on after its end')
      if (!hasHead) {
        yield { head: headIn(line) }
        hasHead = true
      } else if (line === LAST_LINE) isComplete = true
      else {
        yield tableIn(line)
        isInTable = true
      }
    }
    if (!hasHead && text.length > HEAD_MAX) throw notABackup()
  }
  if (!hasHead) throw notABackup()
  if (!isComplete || text !== '') throw damaged('its end is missing')
}

/** The whole lines in a text of rows, up to the end of their table. */
function linesIn(text: string): Readonly<{ lines: string; rest: string; isEnd: boolean }> {
  const end = text.startsWith(END_OF_TABLE) ? 0 : text.indexOf(`\n${END_OF_TABLE}`) + 1
  if (end > 0 || text.startsWith(END_OF_TABLE))
    return { lines: text.slice(0, end), rest: text.slice(end + END_OF_TABLE.length), isEnd: true }
  const whole = text.lastIndexOf('\n') + 1
  return { lines: text.slice(0, whole), rest: text.slice(whole), isEnd: false }
}

function countLines(lines: string): number {
  let count = 0
  for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) count += 1
  return count
}

function headIn(line: string): BackupHead {
  if (!line.startsWith(HEAD)) throw notABackup()
  const head = JSON.parse(line.slice(HEAD.length)) as Omit<BackupHead, 'format'> & { format: number }
  if (head.format !== FORMAT)
    throw new OperatorError(
      `the backup was made by Laurel ${head.laurel}: restore it with that release, or a later one`,
    )
  return { ...head, format: FORMAT }
}

function tableIn(line: string): Extract<BackupPart, { table: string }> {
  const [, table, columns] = TABLE.exec(line) ?? []
  if (table === undefined || columns === undefined) throw damaged('a line is not one of a backup')
  return { table, columns: columns.split(', ') }
}

const notABackup = () => new OperatorError('expected a file made by laurel backup')
const damaged = (what: string) => new OperatorError(`the backup is damaged: ${what}`)

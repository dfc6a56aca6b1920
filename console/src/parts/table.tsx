import { Fragment, type ReactNode, useState } from 'react'
import { csvOf } from '../../../src/csv.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Skeleton } from './states.tsx'

export type Column<Row> = Readonly<{
  name: string
  /** The content of the cell; absent: the text. */
  show?: (row: Row) => ReactNode
  /** The content of the cell in the CSV. */
  text: (row: Row) => string | number | null
  /** `actions` are buttons of the row: their heading is hidden, and they are not in the CSV. */
  kind?: 'number' | 'wrap' | 'actions'
}>

type TableProps<Row> = Readonly<{
  /** For screen readers, and the name of the file. */
  name: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  keyOf: (row: Row, index: number) => string
  isStale?: boolean
  className?: string
  /** How many rows the skeleton has. */
  expected?: number
  /** What a row shows when it is expanded; undefined: it cannot be. */
  detail?: { name: string; of: (row: Row) => ReactNode | undefined }
}>

/** A table that scrolls within itself. Its first column names the row. */
export function Table<Row>({
  name,
  columns,
  rows,
  keyOf,
  isStale,
  className = '',
  expected = 6,
  detail,
}: TableProps<Row>) {
  const [open, setOpen] = useState<string>()
  return (
    <section
      className={`table ${className} ${isStale ? 'stale' : ''}`}
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
      tabIndex={0}
      aria-busy={isStale}
    >
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={column.kind === 'number' ? 'right' : ''}>
                {column.kind === 'actions' ? <span className="hidden">{column.name}</span> : column.name}
              </th>
            ))}
            {detail !== undefined && (
              <th scope="col">
                <span className="hidden">{detail.name}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows === undefined
            ? Array.from({ length: expected }, (_, row) => (
                <tr key={row}>
                  {columns.map((column) => (
                    <td key={column.name} className={column.kind === 'number' ? 'right' : ''}>
                      <Skeleton width={column.kind === 'number' ? '3rem' : '7rem'} />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row, index) => {
                const key = keyOf(row, index)
                const more = detail?.of(row)
                return (
                  <Fragment key={key}>
                    <tr>
                      {columns.map((column, place) => (
                        <Cell key={column.name} column={column} row={row} isName={place === 0} />
                      ))}
                      {detail !== undefined && (
                        <td className="right">
                          {more !== undefined && (
                            <button
                              type="button"
                              className="link"
                              aria-expanded={open === key}
                              onClick={() => setOpen(open === key ? undefined : key)}
                            >
                              {detail.name}
                            </button>
                          )}
                        </td>
                      )}
                    </tr>
                    {open === key && more !== undefined && (
                      <tr className="detail">
                        <td colSpan={columns.length + 1}>{more}</td>
                      </tr>
                    )}
                  </Fragment>
                )
              })}
        </tbody>
      </table>
    </section>
  )
}

function Cell<Row>({ column, row, isName }: Readonly<{ column: Column<Row>; row: Row; isName: boolean }>) {
  const content = column.show?.(row) ?? column.text(row)
  const kind = column.kind === 'number' ? 'right' : column.kind === 'actions' ? 'of-row' : (column.kind ?? '')
  return isName ? (
    <th scope="row" className={kind}>
      {content}
    </th>
  ) : (
    <td className={kind}>{content}</td>
  )
}

/** Downloads the rows of a table as CSV. */
export function CsvButton<Row>({
  name,
  columns,
  rows,
}: Readonly<{ name: string; columns: readonly Column<Row>[]; rows: readonly Row[] | undefined }>) {
  const exported = columns.filter(({ kind }) => kind !== 'actions')
  const save = () =>
    download(
      `${name}.csv`,
      csvOf([
        exported.map((column) => column.name),
        ...(rows ?? []).map((row) => exported.map(({ text }) => text(row))),
      ]),
    )
  return (
    <Button className="button plain" onClick={save} disabled={rows === undefined || rows.length === 0}>
      <Icon name="file" /> CSV
    </Button>
  )
}

/** Downloads a CSV as a file. */
function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

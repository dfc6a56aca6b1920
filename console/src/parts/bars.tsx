import type { ReactNode } from 'react'
import { type Column, Table } from './table.tsx'

export type Bar = Readonly<{
  key: string
  name: ReactNode
  /** For the CSV and screen readers. */
  nameText: string
  value: number
  shown: string
  /** Beside the value. */
  more?: string
}>

/** Few things by size: a table whose rows carry their bar. */
export function Bars({
  name,
  of,
  unit,
  bars,
  isStale = false,
}: Readonly<{ name: string; of: string; unit: string; bars: readonly Bar[] | undefined; isStale?: boolean }>) {
  const most = Math.max(1, ...(bars ?? []).map(({ value }) => Math.abs(value)))
  const columns: Column<Bar>[] = [
    {
      name: of,
      text: ({ nameText }) => nameText,
      show: ({ name, value }) => (
        <>
          {name}
          <span className="bar" style={{ width: `${(Math.abs(value) / most) * 100}%` }} />
        </>
      ),
      kind: 'wrap',
    },
    {
      name: unit,
      text: ({ value }) => value,
      show: ({ shown, more }) => (
        <>
          {shown} {more !== undefined && <span className="quiet">{more}</span>}
        </>
      ),
      kind: 'number',
    },
  ]
  return (
    <Table
      name={name}
      className="bars"
      columns={columns}
      rows={bars}
      keyOf={({ key }) => key}
      isStale={isStale}
      expected={4}
    />
  )
}

import type { ReactNode } from 'react'
import { approximately, grouped, isBelowZero, rounded } from '../exact.ts'
import { Section } from './page.tsx'
import { Empty } from './states.tsx'
import { type Column, CsvButton, Table } from './table.tsx'

export type Bar = Readonly<{
  key: string
  name: ReactNode
  /** For the CSV. */
  nameText: string
  /** An exact number. */
  value: string | number
  /** Beside the value. */
  more: string | undefined
}>

/** A few things by size: a table with a bar in each row, of another colour below 0. `of` is what is counted in `unit`, `more` what is shown beside a value; without bars, `empty` is shown. */
export function BarSection({
  title,
  of,
  unit,
  more,
  bars,
  empty,
  isStale,
  children,
}: Readonly<{
  title: string
  of: string
  unit: string
  more?: string
  bars: readonly Bar[] | undefined
  empty: Readonly<{ title: string; about?: string }>
  isStale: boolean
  children?: ReactNode
}>) {
  const most = Math.max(1, ...(bars ?? []).map(sizeOf))
  const name: Column<Bar> = {
    name: of,
    text: ({ nameText }) => nameText,
    show: (bar) => (
      <>
        {bar.name}
        <span
          className={`bar ${isBelowZero(bar.value) ? 'less' : ''}`}
          style={{ width: `${(sizeOf(bar) / most) * 100}%` }}
        />
      </>
    ),
    kind: 'wrap',
  }
  const value: Column<Bar> = {
    name: unit,
    text: ({ value }) => value,
    show: ({ value, more }) => (
      <>
        {grouped(rounded(value))} {more !== undefined && <span className="quiet">{more}</span>}
      </>
    ),
    kind: 'number',
  }
  const besides: Column<Bar>[] = more === undefined ? [] : [{ name: more, text: ({ more }) => more ?? null }]
  return (
    <Section
      title={title}
      actions={<CsvButton name={fileName(title)} columns={[name, value, ...besides]} rows={bars} />}
    >
      {bars?.length === 0 ? (
        <Empty title={empty.title}>{empty.about !== undefined && <p>{empty.about}</p>}</Empty>
      ) : (
        <Table
          name={title}
          className="bars"
          columns={[name, value]}
          rows={bars}
          keyOf={({ key }) => key}
          isStale={isStale}
          expected={4}
        />
      )}
      {children}
    </Section>
  )
}

function sizeOf({ value }: Bar): number {
  return Math.abs(approximately(value))
}

function fileName(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}

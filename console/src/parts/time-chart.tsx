import { max } from 'd3-array'
import { scaleLinear, scaleTime } from 'd3-scale'
import { grouped } from '../exact.ts'
import { momentText } from '../moments.ts'
import { useWidth } from './chart.tsx'
import { type Column, Table } from './table.tsx'

type Time = Readonly<{ at: string; n: number; failed: number; refused: number; p99_ms: number | null }>

const HEIGHT = 160
const MARGIN = { left: 44, right: 4, top: 8, bottom: 24 }
const MS = { minute: 60_000, hour: 3_600_000 } as const
const label = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** Requests by minute or hour; those that were not answered well stand out. The same numbers are in the table below. */
export function TimeChart({
  name,
  per,
  from,
  to,
  times,
  isStale,
}: Readonly<{
  name: string
  per: 'minute' | 'hour'
  from: string
  to: string
  times: readonly Time[]
  isStale: boolean
}>) {
  const [host, width] = useWidth()
  const x = scaleTime([new Date(from), new Date(Date.parse(to) + MS[per])], [MARGIN.left, width - MARGIN.right])
  const y = scaleLinear([0, Math.max(1, max(times, ({ n }) => n) ?? 1)], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(3)
  const wide = Math.max(1, x(new Date(Date.parse(from) + MS[per])) - x(new Date(from)) - 1)
  return (
    <figure className={`chart ${isStale ? 'stale' : ''}`} ref={host}>
      <div className="plot">
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`${name} by ${per}: the table below has the numbers`}
          >
            {y.ticks(3).map((tick) => (
              <g key={tick}>
                <line
                  className={tick === 0 ? 'axis' : 'grid'}
                  x1={MARGIN.left}
                  x2={width - MARGIN.right}
                  y1={y(tick)}
                  y2={y(tick)}
                />
                <text x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
                  {grouped(tick)}
                </text>
              </g>
            ))}
            {times.map(({ at, n, failed, refused }) => (
              <g key={at}>
                <rect className="value" x={x(new Date(at))} width={wide} y={y(n)} height={y(0) - y(n)} />
                {failed + refused > 0 && (
                  <rect
                    className="fault"
                    x={x(new Date(at))}
                    width={wide}
                    y={y(failed + refused)}
                    height={y(0) - y(failed + refused)}
                  />
                )}
              </g>
            ))}
            {x.ticks(Math.max(2, Math.floor(width / 110))).map((tick) => (
              <text key={tick.getTime()} x={x(tick)} y={HEIGHT - 6} textAnchor="middle">
                {per === 'hour' ? dayLabel.format(tick) : label.format(tick)}
              </text>
            ))}
          </svg>
        )}
        {width === 0 && <div style={{ height: HEIGHT }} />}
      </div>
      <details className="astable">
        <summary>As a table</summary>
        <Table name={name} columns={COLUMNS} rows={times} keyOf={({ at }) => at} />
      </details>
    </figure>
  )
}

const COLUMNS: Column<Time>[] = [
  { name: 'From', text: ({ at }) => at, show: ({ at }) => momentText(at) },
  { name: 'Requests', text: ({ n }) => n, show: ({ n }) => grouped(n), kind: 'number' },
  { name: 'Refused', text: ({ refused }) => refused, kind: 'number' },
  { name: 'Failed', text: ({ failed }) => failed, kind: 'number' },
  { name: 'p99, ms', text: ({ p99_ms }) => p99_ms, kind: 'number' },
]

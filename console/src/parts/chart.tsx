import { max, min } from 'd3-array'
import { scaleBand, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { type CalendarDay, longDay, shortDay } from '../calendar-days.ts'
import { approximately, grouped } from '../exact.ts'
import { ChartFrame, useReading, useWidth } from './chart-frame.tsx'
import { type Column, Table } from './table.tsx'

/** A day, what was measured, and what it is compared with; exact numbers. */
export type DayPoint = Readonly<{
  day: CalendarDay
  value: string
  before: string | undefined
  beforeDay: CalendarDay | undefined
}>

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const HEIGHT = 240
const MARGIN = { left: 44, right: 4, top: 12, bottom: 24 }
const LABEL_PX = 64
const TICKS = 4

type DayChartProps = Readonly<{
  name: string
  unit: string
  points: readonly DayPoint[]
  isStale?: boolean
  /** A day that is not over yet: drawn as an outline. */
  openDay?: CalendarDay
}>

/** Bars by day, with what they are compared with as a dashed line. Arrow keys read the days; the same numbers are in a table below. */
export function DayChart({ name, unit, points, isStale, openDay }: DayChartProps) {
  const [host, width] = useWidth()
  const reading = useReading(points.length)
  const { at } = reading
  const values = points.flatMap(({ value, before }) => [approximately(value), approximately(before ?? '0')])
  const x = scaleBand(
    points.map(({ day }) => day),
    [MARGIN.left, width - MARGIN.right],
  ).padding(points.length > 60 ? 0.15 : 0.3)
  const y = scaleLinear(
    [Math.min(0, min(values) ?? 0), Math.max(1, max(values) ?? 1)],
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  ).nice(TICKS)
  const middle = (day: CalendarDay) => (x(day) ?? 0) + x.bandwidth() / 2
  const compared = points.filter((point) => point.before !== undefined)
  const path = line<DayPoint>(
    ({ day }) => middle(day),
    ({ before }) => y(approximately(before!)),
  )(compared as DayPoint[])
  const every = Math.ceil(points.length / Math.max(1, Math.floor((width - MARGIN.left) / LABEL_PX)))
  const shown = at === undefined ? undefined : points[at]

  return (
    <ChartFrame
      {...{ host, width, isStale, reading }}
      height={HEIGHT}
      label={`${name}, ${unit}. Arrow keys read the days.`}
      indexAt={(px) => Math.floor((px - MARGIN.left) / x.step())}
      announcement={shown === undefined ? '' : sentenceOf(shown, unit)}
      tip={shown !== undefined && <Tip point={shown} unit={unit} left={middle(shown.day)} room={width} />}
      table={<Table name={name} columns={columnsOf(unit)} rows={points} keyOf={({ day }) => day} />}
    >
      <title>{name}</title>
      {y.ticks(TICKS).map((tick) => (
        <g key={tick}>
          <line
            className={tick === 0 ? 'axis' : 'grid'}
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
            {compact.format(tick)}
          </text>
        </g>
      ))}
      {shown !== undefined && (
        <rect
          className="cursor"
          x={(x(shown.day) ?? 0) - (x.step() - x.bandwidth()) / 2}
          width={x.step()}
          y={MARGIN.top}
          height={HEIGHT - MARGIN.bottom - MARGIN.top}
        />
      )}
      {points.map(({ day, value }, index) => {
        const top = y(Math.max(0, approximately(value)))
        const height = Math.abs(y(approximately(value)) - y(0))
        return (
          <rect
            key={day}
            className={`value ${day === openDay ? 'open' : ''} ${at !== undefined && at !== index ? 'dim' : ''}`}
            x={x(day)}
            width={x.bandwidth()}
            y={top}
            height={height}
            rx={Math.min(2, x.bandwidth() / 4, height / 2)}
          />
        )
      })}
      {path !== null && <path className="before" d={path} />}
      {points.map(({ day }, index) =>
        index % every === 0 ? (
          <text key={day} x={middle(day)} y={HEIGHT - 6} textAnchor="middle">
            {shortDay(day)}
          </text>
        ) : null,
      )}
    </ChartFrame>
  )
}

const TIP_PX = 180

function Tip({ point, unit, left, room }: Readonly<{ point: DayPoint; unit: string; left: number; room: number }>) {
  const x = left + 12 + TIP_PX > room ? Math.max(0, left - TIP_PX - 12) : left + 12
  return (
    <div className="tip" aria-hidden="true" style={{ left: x }}>
      <strong>{longDay(point.day)}</strong>
      <dl>
        <dt>
          <span className="key" /> {unit}
        </dt>
        <dd>{grouped(point.value)}</dd>
        {point.before !== undefined && (
          <>
            <dt>
              <span className="key before" /> {shortDay(point.beforeDay!)}
            </dt>
            <dd>{grouped(point.before)}</dd>
          </>
        )}
      </dl>
    </div>
  )
}

function sentenceOf({ day, value, before, beforeDay }: DayPoint, unit: string): string {
  const compared = before === undefined ? '' : `; ${grouped(before)} on ${longDay(beforeDay!)}`
  return `${longDay(day)}: ${grouped(value)} ${unit}${compared}`
}

export function columnsOf(unit: string): Column<DayPoint>[] {
  return [
    { name: 'Day', text: ({ day }) => day, show: ({ day }) => longDay(day) },
    { name: unit, text: ({ value }) => value, show: ({ value }) => grouped(value), kind: 'number' },
    {
      name: 'Compared with',
      text: ({ beforeDay }) => beforeDay ?? null,
      show: ({ beforeDay }) => (beforeDay === undefined ? '' : longDay(beforeDay)),
    },
    {
      name: `${unit} then`,
      text: ({ before }) => before ?? null,
      show: ({ before }) => (before === undefined ? '' : grouped(before)),
      kind: 'number',
    },
  ]
}

/** What a chart's colours mean. */
export function Legend({ value, before }: Readonly<{ value: string; before: string | undefined }>) {
  return (
    <div className="legend">
      <span>
        <span className="key" /> {value}
      </span>
      {before !== undefined && (
        <span>
          <span className="key before" /> {before}
        </span>
      )}
    </div>
  )
}

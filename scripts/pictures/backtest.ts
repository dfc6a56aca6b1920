import type { BacktestDocument } from '../../src/resources/backtests/backtest-document.ts'
import { bar, box, grouped, line, picture, text } from './svg.ts'

const TITLE = 'What a new program would have cost: a backtest of a real shop’s orders, month by month'

const WIDTH = 860
const CHART = { left: 400, right: 830, top: 76, bottom: 250 } as const

/** A backtest of a program as a picture: the outcome in words, and points by month before and after. */
export function backtestPicture({
  program,
  orders,
  players,
  points,
  cost,
  point_value,
  months,
}: BacktestDocument): string {
  if (cost === undefined) throw new Error('the backtest of the picture needs the value of a point')
  return picture(WIDTH, 310, TITLE, [
    text(32, 52, `What would “${program}” have cost?`, 'head'),
    text(32, 80, `${grouped(orders)} recorded orders of ${grouped(players)} players,`, 'fill-quiet'),
    text(32, 100, 'computed again under the new rules', 'fill-quiet'),
    box(32, 126, 310, 72, 'blue-soft', 'blue-edge'),
    text(50, 156, `${signed(points.difference)} points (${signed(points.per_cent ?? '0')} %)`, 'head'),
    text(50, 181, `${grouped(points.after)} instead of ${grouped(points.before)}`, 'fill-quiet'),
    box(32, 212, 310, 72, 'blue-soft', 'blue-edge'),
    text(50, 242, `${signed(cost.difference)} at ${point_value} a point`, 'head'),
    text(50, 267, `${cost.after} instead of ${cost.before}`, 'fill-quiet'),
    ...chart(months),
  ])
}

function chart(months: BacktestDocument['months']): string[] {
  const { left, right, top, bottom } = CHART
  const most = Math.max(...months.flatMap(({ before, after }) => [Number(before), Number(after)]))
  const step = (right - left) / months.length
  const heightOf = (points: string) => ((bottom - top) * Number(points)) / most
  return [
    bar(left, 44, 12, 12, 'grey'),
    text(left + 18, 55, 'points issued', 'small'),
    bar(left + 124, 44, 12, 12, 'blue'),
    text(left + 142, 55, 'points under the new rules', 'small'),
    ...months.flatMap(({ month, before, after }, index) => {
      const x = left + index * step + (step - 40) / 2
      return [
        bar(x, bottom - heightOf(before), 19, heightOf(before), 'grey'),
        bar(x + 21, bottom - heightOf(after), 19, heightOf(after), 'blue'),
        ...monthAt(Math.round(x + 20), month, months[index - 1]?.month),
      ]
    }),
    line(left, right, bottom, 'edge'),
  ]
}

/** The name of a month, with the year below its first month. */
function monthAt(x: number, month: string, before: string | undefined): string[] {
  const year = month.slice(0, 4)
  const name = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' }).format(new Date(month))
  return [
    text(x, CHART.bottom + 19, name, 'small fill-quiet middle'),
    ...(before?.startsWith(year) ? [] : [text(x, CHART.bottom + 37, year, 'small fill-quiet middle')]),
  ]
}

function signed(number: string): string {
  return number.startsWith('-') ? grouped(number) : `+${grouped(number)}`
}

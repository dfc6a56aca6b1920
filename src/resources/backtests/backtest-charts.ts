/*
 * Charts as static SVG, without scripts: rendered here, they look the same in a browser and on paper.
 */
import { BarChart } from 'echarts/charts'
import { GridComponent, LegendComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'

/** Names with two numbers each. Numbers are exact strings, possibly fractions; a bar need only be accurate to the eye. */
export type Bars = readonly Readonly<{ name: string; before: string; after: string }>[]

/** The colours of a chart; a style sheet can override each by selecting on its value in `fill` and `stroke`. */
export const COLOURS = { before: '#8a94a6', after: '#1f6feb', ink: '#24292f', line: '#d0d7de' } as const

const WIDTH = 720
const CHARACTER_WIDTH = 7
const ROW_HEIGHT = 44
const NAME_MAX = 22

use([BarChart, GridComponent, LegendComponent, SVGRenderer])

/** Two adjacent bars for each name: vertical ones for months, horizontal ones (`lying`) for names that may be long. */
export function barChart(
  bars: Bars,
  { unit, lying, label }: Readonly<{ unit: string; lying: boolean; label: string }>,
): string {
  const nameWidth = CHARACTER_WIDTH * Math.max(...bars.map(({ name }) => shortened(name).length))
  const height = lying ? 110 + bars.length * ROW_HEIGHT : 320
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
  const text = { color: COLOURS.ink, fontFamily: 'system-ui, sans-serif', fontSize: 12 }
  const names = {
    type: 'category' as const,
    data: bars.map(({ name }) => shortened(name)),
    inverse: lying,
    axisLabel: text,
    axisLine: { lineStyle: { color: COLOURS.line } },
    axisTick: { show: false },
  }
  const values = {
    type: 'value' as const,
    name: unit,
    nameLocation: lying ? ('middle' as const) : ('end' as const),
    nameGap: lying ? 28 : 12,
    nameTextStyle: text,
    minInterval: 1,
    axisLabel: { ...text, formatter: compact, hideOverlap: true },
    splitLine: { lineStyle: { color: COLOURS.line } },
  }
  chart.setOption({
    animation: false,
    textStyle: text,
    legend: { top: 0, right: 0, textStyle: text, itemWidth: 14, itemHeight: 14, itemGap: 20 },
    grid: lying
      ? { left: nameWidth + 30, right: 30, top: 36, bottom: 46 }
      : { left: 70, right: 20, top: 50, bottom: 30 },
    xAxis: lying ? values : names,
    yAxis: lying ? names : values,
    series: (['before', 'after'] as const).map((side) => ({
      type: 'bar' as const,
      name: side,
      data: bars.map((bar) => approximately(bar[side])),
      itemStyle: { color: COLOURS[side] },
      barMaxWidth: 26,
    })),
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg.replace('<svg ', `<svg role="img" aria-label="${label}" `).replaceAll(/ xmlns(:\w+)?="[^"]*"/g, '')
}

function approximately(exact: string): number {
  const [over, under = '1'] = exact.split('/')
  return Number(over) / Number(under)
}

function compact(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value)
}

function shortened(name: string): string {
  // A character in a name must not change the direction of the text after it.
  const plain = name.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}')
  return plain.length > NAME_MAX ? `${plain.slice(0, NAME_MAX - 1)}…` : plain
}

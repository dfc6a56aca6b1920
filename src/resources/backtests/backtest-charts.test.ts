import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { barChart, COLOURS, columnChart } from './backtest-charts.ts'

const CHART = { unit: 'points', label: 'Points, before and after' }
const ABOVE_AND_BELOW = [
  { name: 'one', before: '100', after: '-50' },
  { name: 'two', before: '0', after: '200/2' },
]

/** The bars of one side, without the square in the legend. */
function barsOf(svg: string, side: 'before' | 'after') {
  const found = svg.matchAll(/<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)" fill="(.*?)"\/>/g)
  return [...found]
    .filter(([, , , , , colour]) => colour === COLOURS[side])
    .map(([, ...numbers]) => numbers.slice(0, 4).map(Number) as [x: number, y: number, width: number, height: number])
    .slice(1)
}

function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!)
}

describe('the charts of a backtest', () => {
  test('columns are as high as their numbers, upwards from 0 or downwards below it', () => {
    const svg = columnChart(ABOVE_AND_BELOW, CHART)
    const [before, after] = [barsOf(svg, 'before'), barsOf(svg, 'after')]
    const ofColumn = ([, y, , height]: readonly number[]) => [y, height]
    assert.deepEqual([...before, ...after].map(ofColumn), [
      [50, 160],
      [210, 0],
      [210, 80],
      [50, 160],
    ])
    assert.match(svg, new RegExp(`<line x1="70" y1="210" x2="700" y2="210" stroke="${COLOURS.ink}"/>`))
  })

  test('bars are as long as their numbers, to the right of 0 or to the left below it', () => {
    const svg = barChart(ABOVE_AND_BELOW, CHART)
    const [[above], [below, fraction]] = [barsOf(svg, 'before'), barsOf(svg, 'after')]
    assert(above && below && fraction)
    const zero = above[0]
    assert.deepEqual([below[0] + below[2], fraction[0], fraction[2]], [zero, zero, above[2]])
    assert(Math.abs(above[2] - 2 * below[2]) < 0.2, svg)
  })

  test('the two bars of a name are a pixel apart, and never overlap those of the next', () => {
    for (const count of [1, 2, 12, 100]) {
      const bars = Array.from({ length: count }, (_, index) => ({ name: `m${index}`, before: '1', after: '2' }))
      const svg = columnChart(bars, CHART)
      const [before, after] = [barsOf(svg, 'before'), barsOf(svg, 'after')]
      assert.equal(after.length, count)
      for (const [index, [x, , width]] of before.entries()) {
        const [right, , as] = after[index]!
        const next = before[index + 1]?.[0] ?? 720
        assert(Math.abs(x + width + 1 - right) <= 0.2 && right + as < next, `${count} names, ${index}`)
      }
    }
  })

  test('an axis shows 0 and round numbers up to the greatest, at least 1 apart', () => {
    const cases = [
      ['0', ['0', '1']],
      ['1/3', ['0', '1']],
      ['7', ['0', '2', '4', '6', '8']],
      ['1234', ['0', '500', '1K', '1.5K']],
      ['2400000', ['0', '500K', '1M', '1.5M', '2M', '2.5M']],
      ['-30', ['-30', '-20', '-10', '0']],
    ] as const
    for (const [after, ticks] of cases)
      for (const draw of [columnChart, barChart]) {
        const texts = textsOf(draw([{ name: 'name', before: '0', after }], CHART))
        assert.deepEqual(
          texts.filter((text) => /^-?\d/.test(text)),
          ticks,
          after,
        )
      }
  })

  test('a fraction whose parts are beyond what a number holds is drawn like any other', () => {
    const [over, under] = [`${7n * 10n ** 400n}`, `${10n ** 400n}`]
    const widthOf = (after: string) => barsOf(barChart([{ name: 'name', before: '7', after }], CHART), 'after')[0]![2]
    assert.equal(widthOf(`${over}/${under}`), widthOf('7'))
  })

  test('names below columns are left out where they would touch', () => {
    const months = Array.from({ length: 60 }, (_, index) => ({ name: `2026-${index + 10}`, before: '1', after: '1' }))
    const names = textsOf(columnChart(months, CHART)).filter((text) => text.startsWith('2026'))
    assert.deepEqual([names.length, names[0], names[1]], [10, '2026-10', '2026-16'])
  })

  test('a name is shortened, and changes neither the markup nor the direction of the text', () => {
    const svg = barChart([{ name: `<b>"&'\u202e${'x'.repeat(30)}`, before: '1', after: '1' }], CHART)
    assert(svg.includes(`>&#60;b&#62;&#34;&#38;&#39;&#65533;${'x'.repeat(14)}\u2026</text>`), svg)
  })
})

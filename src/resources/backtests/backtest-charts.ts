/*
 * Charts as static SVG, without scripts: drawn here, they look the same in a browser and on paper.
 */

/** Names with two numbers each. Numbers are exact strings, possibly fractions; a bar need only be accurate to the eye. */
export type Bars = readonly Readonly<{ name: string; before: string; after: string }>[]

/** The colours of a chart; a style sheet can override each by selecting on its value in `fill` and `stroke`. */
export const COLOURS = { before: '#8a94a6', after: '#1f6feb', ink: '#24292f', line: '#d0d7de' } as const

type Chart = Readonly<{ unit: string; label: string }>

const WIDTH = 720
const TOP = 50
const CHARACTER_WIDTH = 7
const NAME_MAX = 22
const BAR_MAX = 26
/** Of the room for a name, the part that its two bars take. */
const BARS_SHARE = 0.7
const TICKS = 5

/** Two adjacent vertical bars for each name, as for months. At least one name. */
export function columnChart(bars: Bars, { unit, label }: Chart): string {
  const [left, right, height, bottom] = [70, WIDTH - 20, 320, 290]
  const { ticks, at } = axisOf(bars, bottom, TOP)
  const room = (right - left) / bars.length
  const lines = ticks.map(
    (tick) => line(tick, left, at(tick), right, at(tick)) + text(left - 8, at(tick) + 4, 'end', compact(tick)),
  )
  // Names that would touch are left out, as they follow in order.
  const every = Math.ceil((CHARACTER_WIDTH * (longestOf(bars) + 1)) / room)
  const names = bars.map(({ name }, index) =>
    index % every === 0 ? text(left + (index + 0.5) * room, bottom + 20, 'middle', shortened(name)) : '',
  )
  const drawn = rectangles(bars, room, (side, start, size, value) => {
    const [top, end] = [at(Math.max(value, 0)), at(Math.min(value, 0))]
    return rectangle(side, left + start, top, size, end - top)
  })
  return svg(height, label, [...lines, text(left, TOP - 16, 'middle', unit), ...names, ...drawn])
}

/** Two adjacent horizontal bars for each name, which may be long. At least one name. */
export function barChart(bars: Bars, { unit, label }: Chart): string {
  const room = 44
  const [left, right, bottom] = [CHARACTER_WIDTH * longestOf(bars) + 30, WIDTH - 30, TOP + bars.length * room]
  const { ticks, at } = axisOf(bars, left, right)
  const lines = ticks.map(
    (tick) => line(tick, at(tick), TOP, at(tick), bottom) + text(at(tick), bottom + 18, 'middle', compact(tick)),
  )
  const names = bars.map(({ name }, index) => text(left - 8, TOP + (index + 0.5) * room + 4, 'end', shortened(name)))
  const drawn = rectangles(bars, room, (side, start, size, value) => {
    const [from, to] = [at(Math.min(value, 0)), at(Math.max(value, 0))]
    return rectangle(side, from, TOP + start, to - from, size)
  })
  return svg(bottom + 60, label, [...lines, text((left + right) / 2, bottom + 40, 'middle', unit), ...names, ...drawn])
}

type Side = 'before' | 'after'

function rectangles(
  bars: Bars,
  room: number,
  draw: (side: Side, start: number, size: number, value: number) => string,
): string[] {
  const size = Math.min(BAR_MAX, (room * BARS_SHARE) / 2)
  return bars.flatMap((bar, index) => {
    const middle = (index + 0.5) * room
    return [
      draw('before', middle - size, size - 1, approximately(bar.before)),
      draw('after', middle, size, approximately(bar.after)),
    ]
  })
}

/** At least two round values that span all numbers and 0, at least 1 apart; `at` gives the place of a value between the two ends in pixels. */
function axisOf(bars: Bars, start: number, end: number): { ticks: number[]; at: (value: number) => number } {
  const values = bars.flatMap(({ before, after }) => [approximately(before), approximately(after)])
  const low = Math.min(0, ...values)
  const high = Math.max(low < 0 ? 0 : 1, ...values)
  const step = roundStep((high - low) / TICKS)
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)]
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { ticks, at: (value) => start + ((end - start) * (value / step - first)) / (last - first) }
}

/** The next of 1, 2, 5, 10, 20 and so on. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least)!
}

function svg(height: number, label: string, parts: readonly string[]): string {
  const legend = (['before', 'after'] as const).map((side, index) => {
    const left = WIDTH - 150 + index * 80
    return rectangle(side, left, 4, 14, 14) + text(left + 20, 15, 'start', side)
  })
  return `<svg role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">
${[...legend, ...parts].join('\n')}
</svg>`
}

function rectangle(side: Side, x: number, y: number, width: number, height: number): string {
  return `<rect x="${rounded(x)}" y="${rounded(y)}" width="${rounded(width)}" height="${rounded(height)}" fill="${COLOURS[side]}"/>`
}

/** The line of a value of the axis. That of 0, from which all bars start, is darker. */
function line(value: number, x1: number, y1: number, x2: number, y2: number): string {
  const colour = value === 0 ? COLOURS.ink : COLOURS.line
  return `<line x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}" stroke="${colour}"/>`
}

function text(x: number, y: number, anchor: 'start' | 'middle' | 'end', content: string): string {
  return `<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}" fill="${COLOURS.ink}">${escapedMarkup(content)}</text>`
}

function rounded(pixels: number): string {
  return String(Math.round(pixels * 10) / 10)
}

/** Escapes text for HTML and SVG. Control characters and characters that change the text direction are replaced. */
export function escapedMarkup(content: string): string {
  return content.replace(
    /[&<>"'\p{Cc}\p{Bidi_Control}]/gu,
    (character) => `&#${/[\p{Cc}\p{Bidi_Control}]/u.test(character) ? 0xfffd : character.charCodeAt(0)};`,
  )
}

function approximately(exact: string): number {
  const [over, under] = exact.split('/')
  // Both can be beyond what a number holds though their quotient is not.
  return under === undefined ? Number(over) : Number((BigInt(over!) * 1_000n) / BigInt(under)) / 1_000
}

function compact(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value)
}

function longestOf(bars: Bars): number {
  return Math.max(...bars.map(({ name }) => shortened(name).length))
}

function shortened(name: string): string {
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name
}

/*
 * What the pictures of the documents share: a card that is readable on a light and on a dark page, without external resources.
 */

/** Colours by role: on a light screen, and on a dark one. */
const COLOURS = {
  paper: ['#ffffff', '#0d1117'],
  edge: ['#c3ccd5', '#3d444d'],
  ink: ['#1f2933', '#e6edf3'],
  quiet: ['#5f6b78', '#9aa4af'],
  line: ['#d3dae1', '#30363d'],
  grey: ['#8a94a6', '#768390'],
  blue: ['#2f6fb2', '#58a6ff'],
  'blue-soft': ['#edf4fb', '#12263d'],
  'blue-edge': ['#9dbfe3', '#2d5b8c'],
  green: ['#2f7d32', '#56b95c'],
  'green-soft': ['#f1f8f1', '#122a18'],
  'green-edge': ['#a5cfa5', '#2e6a36'],
} as const

export type Colour = keyof typeof COLOURS

/** A whole picture. `title` is what it shows, for readers who cannot see it. */
export function picture(width: number, height: number, title: string, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">${escaped(title)}</title>
  <style>
    text { font: 15px system-ui, "Segoe UI", Helvetica, Arial, sans-serif }
    .name { font-weight: 600 }
    .head { font-size: 19px; font-weight: 600 }
    .small { font-size: 13px }
    .end { text-anchor: end }
    .middle { text-anchor: middle }
    path { fill: none; stroke-width: 2 }
    ${rulesFor(0)}
    @media (prefers-color-scheme: dark) { ${rulesFor(1)} }
  </style>
  <rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" class="fill-paper stroke-edge"/>
${content.map((line) => `  ${line}`).join('\n')}
</svg>
`
}

/** Names for the colours of one screen; plain text is ink, and a viewer without support for dark screens shows the light one. */
function rulesFor(screen: 0 | 1): string {
  const roles = Object.entries(COLOURS).map(([role, colours]) => ({ role, colour: colours[screen] }))
  return [
    `text { fill: ${COLOURS.ink[screen]} }`,
    ...roles.map(({ role, colour }) => `.fill-${role} { fill: ${colour} } .stroke-${role} { stroke: ${colour} }`),
  ].join(' ')
}

/** `classes` are `name`, `head`, `small`, `end`, `middle`, and `fill-` with a colour. */
export function text(x: number, y: number, content: string, classes = ''): string {
  return `<text${classes === '' ? '' : ` class="${classes}"`} x="${x}" y="${y}">${escaped(content)}</text>`
}

export function box(x: number, y: number, width: number, height: number, fill: Colour, edge: Colour): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" class="fill-${fill} stroke-${edge}"/>`
}

export function bar(x: number, y: number, width: number, height: number, fill: Colour): string {
  const [left, top, wide, high] = [x, y, width, height].map((size) => Number(size.toFixed(1)))
  return `<rect x="${left}" y="${top}" width="${wide}" height="${high}" rx="2" class="fill-${fill}"/>`
}

/** A horizontal line from one x to another. */
export function line(from: number, to: number, y: number, colour: Colour): string {
  return `<path d="M${from} ${y} H${to}" class="stroke-${colour}"/>`
}

/** An arrow to the right or to the left, from one x to another. */
export function arrow(from: number, to: number, y: number, colour: Colour): string {
  const back = from < to ? to - 8 : to + 8
  return `<path d="M${from} ${y} H${to} M${back} ${y - 6} L${to} ${y} L${back} ${y + 6}" class="stroke-${colour}"/>`
}

/** Digits of the whole part in groups of three, and a typographic minus. */
export function grouped(number: string | number | bigint): string {
  return String(number)
    .replace(/\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','))
    .replace('-', '−')
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

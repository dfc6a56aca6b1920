import { readFileSync } from 'node:fs'
import { readCasesText } from '../../src/engine/ingest/cases/read-cases.ts'
import { readProgramText } from '../../src/engine/ingest/program-text.ts'
import { type Ratio, ratioText, sum } from '../../src/engine/points/arithmetic.ts'
import type { Because, Prediction } from '../../src/engine/points/model.ts'
import { tryCases } from '../../src/engine/whatif/cases.ts'
import { arrow, bar, box, type Colour, grouped, line, picture, text } from './svg.ts'

const TITLE =
  'How an order goes through the rules: each gives its exact points, their sum is rounded once, then comes the referral'

/** The words for each line of the explanation, with the numbers that its rule used. */
const WORDS: Readonly<Record<string, (because: Record<string, string>) => string>> = {
  base: ({ points, every, net }) => `${points} for every ${every} of ${net}`,
  'big-basket': () => 'a basket of 1,000 or more',
  tea: ({ points, units }) => `${points} for each of ${units} packets of tea`,
  'silver-bonus': () => 'Silver: a quarter more of base',
  'gold-bonus': () => 'for Gold and Platinum only',
  ceiling: () => 'at most 500: not reached',
  rounding: () => 'down, once for the whole order',
  referral: () => 'first order, with Asha’s code',
}

const WIDTH = 860
const NAME_AT = 44
const WORDS_AT = 172
const BARS_AT = 420
const BARS_END = 700
/** The x of the decimal points. */
const POINT_AT = 780
const ROW = 35

type Row = Readonly<{ id: string; words: string; points: Ratio | undefined; from: number; colour: Colour }>

/** Ravi's order from its rules to its level: each bar begins where the one before it ends. */
export function orderThroughRules({
  prediction,
  before,
}: Readonly<{ prediction: Prediction; before: bigint }>): string {
  const rows = rowsOf(prediction)
  const scale = (BARS_END - BARS_AT) / Number(prediction.points)
  const firstAt = 130
  const totalAt = firstAt + rows.length * ROW + 12
  return picture(WIDTH, totalAt + 106, TITLE, [
    box(20, 20, WIDTH - 40, 70, 'blue-soft', 'blue-edge'),
    text(NAME_AT, 48, `An order by Ravi, who is ${prediction.level.before} with ${grouped(before)} points`, 'name'),
    text(NAME_AT, 73, '1,300 less a discount of 66: net 1,234. 3 × TEA-ASSAM, 1 × KETTLE, and the referral code ASHA'),
    ...rows.flatMap((row, index) => rowAt(row, firstAt + index * ROW, scale)),
    line(NAME_AT, WIDTH - 44, totalAt - 26, 'ink'),
    group('points', [text(NAME_AT, totalAt, 'points', 'head'), ...number(String(prediction.points), totalAt, 'head')]),
    ...levelAt(prediction, before, totalAt + 24),
  ])
}

/** The order of the picture: that of a case of examples/programs/tiers.cases.yaml, with the points its player had before it. */
export function ravisOrder(): { prediction: Prediction; before: bigint } {
  const textOf = (name: string) => readFileSync(new URL(`../../examples/programs/${name}`, import.meta.url), 'utf8')
  const read = readProgramText(textOf('tiers.yaml'))
  if (!('program' in read)) throw new Error('examples/programs/tiers.yaml has errors')
  const readCases = readCasesText(textOf('tiers.cases.yaml'), read.program)
  if (!('cases' in readCases)) throw new Error('examples/programs/tiers.cases.yaml has errors')
  const results = tryCases(read.program, readCases.cases)
  const order = results.find(({ name }) => name.startsWith('an order through all rules'))?.steps[0]
  if (order === undefined || !('prediction' in order)) throw new Error('the case of the picture is gone')
  const { prediction } = order
  return { prediction, before: prediction.level.levelPoints - prediction.points }
}

function rowsOf({ earned, notApplied, rounding }: Prediction): Row[] {
  const rules = earned.filter(({ rule }) => rule !== 'referral')
  const referral = earned.find(({ rule }) => rule === 'referral')
  if (referral === undefined) throw new Error('the order of the picture carries no referral')
  let end = 0
  const next = (id: string, points: Ratio | undefined, because: Because = {}, colour: Colour = 'blue'): Row => {
    const wordsOf = WORDS[id]
    if (wordsOf === undefined) throw new Error(`the picture has no words for ${id}`)
    const numbers = Object.entries(because).map(([name, value]) => [name, grouped(ratioText(value))])
    const from = end
    end += points === undefined ? 0 : drawn(points)
    return { id, words: wordsOf(Object.fromEntries(numbers)), points, from, colour }
  }
  return [
    ...rules.map(({ rule, points, because }) => next(rule, points, because)),
    ...notApplied.map(({ rule }) => next(rule, undefined)),
    { id: 'sum', words: '', points: sum(rules.map(({ points }) => points)), from: 0, colour: 'grey' },
    next('rounding', rounding),
    next('referral', referral.points, referral.because, 'green'),
  ]
}

function rowAt({ id, words, points, from, colour }: Row, y: number, scale: number): string[] {
  const isSum = id === 'sum'
  const quiet = points === undefined ? ' fill-quiet' : ''
  const value =
    points === undefined ? [text(POINT_AT, y, 'nothing', 'number end fill-quiet')] : number(ratioText(points), y)
  return [
    line(NAME_AT, WIDTH - 44, y - 23, isSum ? 'ink' : 'line'),
    group(id, [
      text(NAME_AT, y, id, `name${quiet}`),
      ...(words === '' ? [] : [text(WORDS_AT, y, words, quiet.trim())]),
      ...value,
    ]),
    ...(points === undefined ? [] : [barFrom(from, drawn(points), y, scale, colour)]),
  ]
}

function barFrom(from: number, size: number, y: number, scale: number, colour: Colour): string {
  const start = BARS_AT + scale * Math.min(from, from + size)
  return bar(start, y - 14, Math.max(2, scale * Math.abs(size)), 18, colour)
}

function levelAt({ level }: Prediction, before: bigint, y: number): string[] {
  return [
    box(20, y, WIDTH - 40, 60, 'green-soft', 'green-edge'),
    text(NAME_AT, y + 36, 'level', 'name'),
    group('before', [text(WORDS_AT, y + 36, `${level.before}, ${grouped(before)}`)]),
    arrow(282, 332, y + 31, 'green'),
    group('after', [text(350, y + 36, `${level.after}, ${grouped(level.levelPoints)}`, 'name')]),
    text(WIDTH - 44, y + 36, 'Gold begins at 2,000', 'small end fill-quiet'),
  ]
}

function group(id: string, content: readonly string[]): string {
  return `<g id="${id}">${content.join('')}</g>`
}

/** A number whose decimal point is aligned with the others. */
function number(written: string, y: number, classes = ''): string[] {
  const [whole = '', decimals] = grouped(written).split('.')
  const shared = classes === '' ? 'number' : `number ${classes}`
  return [
    text(POINT_AT, y, whole, `${shared} end`),
    ...(decimals === undefined ? [] : [text(POINT_AT, y, `.${decimals}`, shared)]),
  ]
}

/** Points as a floating-point number for drawing a bar, where exactness does not matter. */
function drawn({ num, den }: Ratio): number {
  return Number(num) / Number(den)
}

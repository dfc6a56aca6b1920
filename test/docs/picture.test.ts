/*
 * The picture of docs/programs.md shows what the engine gives: the order of a case of examples/programs/tiers.cases.yaml.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCasesText } from '../../src/ingest/cases/read-cases.ts'
import { readProgramText } from '../../src/ingest/program-text.ts'
import { ratioText, sum } from '../../src/points/arithmetic.ts'
import { tryCases } from '../../src/whatif/cases.ts'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'

const PICTURE = 'docs/pictures/order-through-rules.svg'
const textOf = (path: string) => readFileSync(join(PROJECT, path), 'utf8')

test('the picture shows every line of the explanation, with the numbers of the engine', () => {
  const shown = new Map(
    [...textOf(PICTURE).matchAll(/<g id="([\w-]+)".*?>(.*?)<\/g>/g)].map(([, id, row]) => [id!, cellsOf(row!)]),
  )
  const { prediction, before } = theOrder()
  const { earned, notApplied, rounding, points, level } = prediction
  const byRules = earned.filter(({ rule }) => rule !== 'referral')
  const expected = new Map([
    ...earned.map(({ rule, points }) => [rule, ratioText(points)] as const),
    ...notApplied.map(({ rule }) => [rule, 'nothing'] as const),
    ['sum', ratioText(sum(byRules.map(({ points }) => points)))] as const,
    ['rounding', ratioText(rounding)] as const,
    ['points', String(points)] as const,
    ['before', `${level.before}, ${before}`] as const,
    ['after', `${level.after}, ${level.levelPoints}`] as const,
  ])
  assert.deepEqual(
    [...shown].map(([id, cells]) => [id, expected.get(id)?.includes(',') ? cells.all : cells.number]).sort(),
    [...expected].sort(),
  )
})

test('the picture needs nothing from outside, and is described for who cannot see it', () => {
  const svg = textOf(PICTURE)
  assert.doesNotMatch(
    svg.replace('xmlns="http://www.w3.org/2000/svg"', ''),
    /https?:|href|url\(|@import|<script|<image/,
  )
  assert.match(svg, /<title id="title">.{40,}<\/title>/)
  const alternative = /!\[([^\]]+)\]\(pictures\/order-through-rules\.svg\)/.exec(readDocument('docs/programs.md'))?.[1]
  const { prediction } = theOrder()
  for (const { points } of prediction.earned) assert(alternative?.includes(ratioText(points)), ratioText(points))
  assert(alternative?.includes(`${prediction.points} points`) && alternative.includes(prediction.level.after))
})

function theOrder() {
  const read = readProgramText(textOf('examples/programs/tiers.yaml'))
  const readCases = readCasesText(textOf('examples/programs/tiers.cases.yaml'))
  assert('program' in read && 'cases' in readCases)
  const tried = tryCases(read.program, readCases.cases).find(({ name }) =>
    name.startsWith('an order through all rules'),
  )
  const outcome = tried?.orders[0]
  assert(outcome !== undefined && 'prediction' in outcome)
  const { prediction } = outcome
  return { prediction, before: prediction.level.levelPoints - prediction.points }
}

/** The text of a row, and what stands in its column of numbers. */
function cellsOf(row: string): { all: string; number: string } {
  const texts = [...row.matchAll(/<text([^>]*)>(.*?)<\/text>/g)].map(([, place, text]) => ({
    isNumber: /x="(690|716)"/.test(place!),
    text: text!.replaceAll('−', '-').replace(/(\d),(\d{3})/g, '$1$2'),
  }))
  const joined = (some: typeof texts) => some.map(({ text }) => text).join('')
  return { all: joined(texts), number: joined(texts.filter(({ isNumber }) => isNumber)) }
}

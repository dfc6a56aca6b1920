/*
 * The pictures of the documents are those that `npm run pictures` draws, and the picture of an order shows what the engine computes.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkoutPicture, ravisCheckouts } from '../../scripts/pictures/checkout.ts'
import { orderThroughRules, ravisOrder } from '../../scripts/pictures/order-through-rules.ts'
import { whereLaurelSits } from '../../scripts/pictures/where-laurel-sits.ts'
import { ratioText, sum } from '../../src/engine/points/arithmetic.ts'
import { listDocuments, PROJECT, readDocument } from '../support/docs-blocks.ts'

const PICTURE = 'docs/pictures/order-through-rules.svg'
const textOf = (path: string) => readFileSync(join(PROJECT, path), 'utf8')

test('each picture is the one that npm run pictures draws now', () => {
  assert.equal(textOf(PICTURE), orderThroughRules(ravisOrder()))
  assert.equal(textOf('docs/pictures/where-laurel-sits.svg'), whereLaurelSits())
  assert.equal(textOf('docs/pictures/checkout.svg'), checkoutPicture(ravisCheckouts()))
})

test('the picture shows every line of the explanation, with the numbers of the engine', () => {
  const shown = new Map(
    [...textOf(PICTURE).matchAll(/<g id="([\w-]+)".*?>(.*?)<\/g>/g)].map(([, id, row]) => [id!, cellsOf(row!)]),
  )
  const { prediction, before } = ravisOrder()
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

test('a picture loads nothing from outside, and has a description for those who cannot see it', () => {
  const pictures = globSync('docs/pictures/*.svg', { cwd: PROJECT })
  assert(pictures.length > 2)
  for (const path of pictures) {
    const svg = textOf(path).replace('xmlns="http://www.w3.org/2000/svg"', '')
    assert.doesNotMatch(svg, /https?:|href|url\(|@import|<script|<image/, path)
    assert.match(svg, /<title id="title">.{40,}<\/title>/, path)
    assert.match(svg, /prefers-color-scheme: dark/, path)
  }
})

test('the description of the picture in a document has every number', () => {
  const { prediction } = ravisOrder()
  const numbers = [...prediction.earned.map(({ points }) => ratioText(points)), `${prediction.points} points`]
  const descriptions = listDocuments().flatMap((path) =>
    [...readDocument(path).matchAll(/!\[([^\]]+)\]\([\w./]*order-through-rules\.svg\)/g)].map(([, text]) => text!),
  )
  assert.equal(descriptions.length, 1)
  for (const description of descriptions)
    for (const number of [...numbers, prediction.level.after]) assert(description.includes(number), number)
})

/** The text of a row, and the value in its column of numbers. */
function cellsOf(row: string): { all: string; number: string } {
  const texts = [...row.matchAll(/<text([^>]*)>(.*?)<\/text>/g)].map(([, place, text]) => ({
    isNumber: /class="number/.test(place!),
    text: text!.replaceAll('−', '-').replace(/(\d),(\d{3})/g, '$1$2'),
  }))
  const joined = (some: typeof texts) => some.map(({ text }) => text).join('')
  return { all: joined(texts), number: joined(texts.filter(({ isNumber }) => isNumber)) }
}

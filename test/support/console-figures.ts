/*
 * Reading the figures that a page of the console shows, and recomputing them from what the API answered: with the arithmetic of the service, none of
 * which the console uses.
 */
import assert from 'node:assert/strict'
import type { Page, Response } from 'playwright-core'
import { parseRatio, type Ratio, sum } from '../../src/engine/points/arithmetic.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of many routes
export type Json = any

/** The rows of a table by the names of its columns. */
export type ShownRow = Readonly<Record<string, string>>

export type ShownPage = Readonly<{
  /** Without what is typed, drawn or copied, and without moments and ids, which are no figures. */
  text: string
  cards: ReadonlyMap<string, Readonly<{ value: string; note: string }>>
  tables: Readonly<Record<string, readonly ShownRow[]>>
  /** Of each explanation: the rules that gave points, with the points, and the sum. */
  waterfalls: readonly (readonly (readonly [string, string])[])[]
  facts: Readonly<Record<string, string>>
  /** The texts of examples and results. */
  pres: readonly string[]
  tabs: readonly Readonly<{ tab: string; text: string }>[]
}>

/* Code that runs in the page is text: tests do not have the types of the DOM. */
const SHOWN = `((selector) => {
  const main = document.querySelector(selector)
  const without = (element, selector) => {
    const copy = element.cloneNode(true)
    for (const one of copy.querySelectorAll(selector)) one.remove()
    return copy
  }
  const textOf = (element) => without(element, '.hidden, [aria-hidden=true]').textContent.replace(/\\s+/g, ' ').trim()
  const all = (selector, element = main) => [...element.querySelectorAll(selector)]
  const copy = without(main, 'time, svg, pre, code, input, select, textarea, .mono, .tip, .segments, [popover], output, .measured')
  const texts = []
  const walker = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode.textContent)
  const rowsOf = (table) => {
    const names = all('thead th', table).map((one) => one.textContent.trim())
    const rows = all(':scope > table > tbody > tr:not(.detail)', table)
    return rows.map((row) => Object.fromEntries([...row.children].map((cell, at) => [names[at], textOf(cell)])))
  }
  return {
    text: texts.join(' ').replace(/\\d+ (?:second|minute|hour|day|month|year)s? ago|in \\d+ (?:day|hour|minute)s?|Last \\d+ days/g, '').replace(/\\s+/g, ' '),
    cards: all('.figure').map((card) => {
      const name = card.querySelector('dt button') ?? card.querySelector('dt')
      // A figure that does not fit is there in full for screen readers.
      const value = without(card.querySelector('dd'), '[aria-hidden=true], .choose > .hidden').textContent.trim()
      return [name.textContent.trim(), { value, note: textOf(card.querySelector('.delta')) }]
    }),
    tables: Object.fromEntries(all('section.table').map((table) => [table.getAttribute('aria-label'), rowsOf(table)])),
    waterfalls: all('.waterfall').map((one) => all(':scope tbody tr:not(.none)', one).map((row) => {
      const [name, , points] = row.children
      return [without(name, '.small').textContent.trim(), points.textContent.trim()]
    })),
    facts: Object.fromEntries(all('.facts > div').map((one) => [one.querySelector('dt').textContent.trim(), textOf(one.querySelector('dd'))])),
    pres: all('pre:not([popover] *)').map((one) => one.textContent),
    tabs: all('nav.tabs a').map((one) => ({ tab: new URL(one.href).searchParams.get('tab') ?? '', text: one.textContent })),
  }
})`

/* Ids and examples are no figures. Figures follow the width of the window in the next frame. */
const BROKEN = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const found = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    if (text.parentElement.closest('h1, a, pre, code, .mono, .hidden, [popover]')) continue
    for (const { 0: number, index } of text.textContent.matchAll(/[+−]?\\d[\\d,.]*\\d/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + number.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(number + ' in ' + text.textContent)
    }
  }
  done(found)
})))`

/** What the page shows now, or a part of it, such as a dialog. */
export async function readShownPage(page: Page, selector = 'main'): Promise<ShownPage> {
  const shown = (await page.evaluate(`${SHOWN}(${JSON.stringify(selector)})`)) as Omit<ShownPage, 'cards'> & {
    cards: [string, Json][]
  }
  return { ...shown, cards: new Map(shown.cards) }
}

/** Numbers of the page that are broken over two lines, in a window of this width. */
export async function figuresBrokenAt(page: Page, width: number): Promise<string[]> {
  const { width: before, height } = page.viewportSize()!
  await page.setViewportSize({ width, height })
  const broken = (await page.evaluate(BROKEN)) as string[]
  await page.setViewportSize({ width: before, height })
  return broken
}

/** The last response of each request that a page makes, by its path with the query. */
export function collectResponses(page: Page): Map<string, Json> {
  const responses = new Map<string, Json>()
  page.on('response', async (response: Response) => {
    const { pathname, search } = new URL(response.url())
    if (!/^\/(?:api\/|openapi\.json)/.test(pathname) || response.status() !== 200) return
    responses.set(decodeURIComponent(pathname + search), await response.json().catch(() => undefined))
  })
  return responses
}

/** The response for a path, or for one that begins so; of two spans that are compared, the later one. */
export function responseFor(responses: ReadonlyMap<string, Json>, path: string): Json {
  if (responses.has(path)) return responses.get(path)
  const found = [...responses].filter(([address]) => address.startsWith(path)).map(([, reply]) => reply)
  assert(found.length > 0, `nobody asked for ${path}, but for ${[...responses.keys()].join(', ')}`)
  return found.toSorted((one, other) => ((one.to ?? '') < (other.to ?? '') ? 1 : -1))[0]
}

/** "−1,234.5": with groups of three digits and a real minus. */
export function groupedDigits(exact: string | number | bigint): string {
  const [, sign, whole, rest] = /^(-?)(\d+)(.*)$/.exec(String(exact))!
  return `${sign === '-' ? '−' : ''}${BigInt(whole!).toLocaleString('en-GB')}${rest}`
}

/** The same, with a plus above 0. */
export function signedDigits(exact: string | number | bigint): string {
  return `${parseRatio(String(exact))!.num > 0n ? '+' : ''}${groupedDigits(exact)}`
}

/** The exact sum of decimals and fractions like 10/3, rounded to hundredths half away from 0. */
export function roundedSumOf(exacts: readonly (string | number)[]): string {
  const { num, den }: Ratio = sum(exacts.map((one) => parseRatio(String(one))!))
  const size = ((num < 0n ? -num : num) * 200n + den) / (den * 2n)
  return `${num < 0n && size > 0n ? '-' : ''}${inHundredths(size)}`
}

/** A share in percent, with one decimal. */
export function shareOf(part: number, all: number): string {
  return all === 0 ? '0' : ((part / all) * 100).toFixed(1).replace(/\.0$/, '')
}

/** "5 May 2026" */
export function dayWords(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))
}

/** What an explanation must show: each rule, the rounding and the sum. */
export function stepsOf({ earned, rounding }: Json): (readonly [string, string])[] {
  const points = earned.map((one: Json) => one.points)
  return [
    ...earned.map((one: Json) => [one.rule, signedDigits(roundedSumOf([one.points]))]),
    ...(parseRatio(rounding)!.num === 0n ? [] : [['rounding', signedDigits(roundedSumOf([rounding]))]]),
    ['In all', groupedDigits(roundedSumOf([...points, rounding]))],
  ]
}

/** Errors if a number of the page is neither in the responses nor among those that follow from them. */
export function assertFiguresKnown(
  { text }: ShownPage,
  responses: ReadonlyMap<string, Json>,
  derived: readonly (string | bigint | number)[],
): void {
  const told = [...responses.values()].flatMap((reply) => [...numbersIn(reply), ...fractionsIn(reply)])
  const known = new Set([...told, ...daysIn(text), ...derived.map(String)].map(plain))
  // A handle that is cut off may end within a run of digits.
  const figures = text.replace(/player~[\w-]*/g, '').match(/\d[\d,]*(?:\.\d+)?/g) ?? []
  const strange = figures.filter((figure) => !known.has(plain(figure)))
  assert.deepEqual(strange, [], `figures that follow from no answer, in: ${text}`)
}

/** Each number in a response, of fields and within texts. */
function numbersIn(value: Json): string[] {
  if (value === null || value === undefined || typeof value === 'boolean') return []
  if (typeof value !== 'object') return String(value).match(/\d+(?:\.\d+)?/g) ?? []
  return Object.entries(value).flatMap(([key, inner]) => [...numbersIn(key), ...numbersIn(inner)])
}

/** Each fraction in a response, like 10/3, rounded to hundredths as it is shown. */
function fractionsIn(reply: Json): string[] {
  return (JSON.stringify(reply)?.match(/\d+\/[1-9]\d*/g) ?? []).map((fraction) => roundedSumOf([fraction]))
}

/** The numbers of the days that a page names, like 5 and 2026 of "5 May 2026". */
function daysIn(shown: string): string[] {
  const days = shown.match(/\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?: \d{4})?/g) ?? []
  return days.flatMap((day) => day.match(/\d+/g)!)
}

function inHundredths(number: bigint): string {
  return `${number / 100n}.${String(number % 100n).padStart(2, '0')}`.replace(/\.?0+$/, '')
}

function plain(text: string): string {
  return text.replaceAll(',', '').replace(/^0+(?=\d)/, '')
}

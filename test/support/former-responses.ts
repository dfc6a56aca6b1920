/*
 * How answers recorded by former versions are compared with those of today: in today's words, and without the fields that were added since. Everything
 * else is as it was, byte for byte (decision 219).
 */
import { readFileSync } from 'node:fs'

/** The sentences of responses that were worded anew after commit 6168b5d, each with its words of today; `{}` stands for a value. */
export const CHANGED_SENTENCES: readonly (readonly [former: string, now: string])[] = JSON.parse(
  readFileSync(new URL('../contract/data/changed-sentences.json', import.meta.url), 'utf8'),
)

/** What a value may be within a string of a JSON text, as short as possible. */
const VALUE = String.raw`((?:[^"\\]|\\.)*?)`

const patterns = CHANGED_SENTENCES.map(([former, now]) => ({
  now: piecesOf(now),
  pattern: new RegExp(`(?<![\\w-])${piecesOf(former).map(RegExp.escape).join(VALUE)}(?![\\w-])`, 'g'),
})).toSorted((a, b) => b.pattern.source.length - a.pattern.source.length)

/** A text of JSON with every former sentence in today's words. The longest sentence is taken first. */
export function inTodaysWords(text: string): string {
  return patterns.reduce(
    (worded, { pattern, now }) =>
      worded.replace(pattern, (_, ...found) => now.reduce((so, piece, n) => `${so}${found[n - 1] ?? ''}${piece}`)),
    text,
  )
}

function piecesOf(sentence: string): string[] {
  return JSON.stringify(sentence).slice(1, -1).split('{}')
}

/** A response of today without the fields, figures, settings and columns that were added since; everything else is as it was, byte for byte. */
export function asFarAsThen(today: string, then: string): string {
  if (today === then) return today
  if (!then.startsWith('{')) return withColumnsOf(then, today)
  return `${JSON.stringify(withFieldsOf(JSON.parse(then), JSON.parse(today)))}\n`
}

/** A table in CSV without the columns that were added at its end. */
function withColumnsOf(then: string, today: string): string {
  const [former, now] = [then, today].map((text) => text.slice(0, text.indexOf('\r\n')))
  if (!now!.startsWith(`${former},`)) return today
  const added = now!.slice(former!.length).split(',').length - 1
  return today.replaceAll(new RegExp(`(,[^,"\\r\\n]*){${added}}(?=\\r\\n)`, 'g'), '')
}

function withFieldsOf(then: unknown, today: unknown): unknown {
  if (Array.isArray(then) && Array.isArray(today))
    return today.filter((one) => !isAdded(then, one)).map((one, n) => withFieldsOf(then[n], one))
  if (!isObject(then) || !isObject(today)) return today
  const kept = Object.entries(today).filter(([name]) => name in then)
  return Object.fromEntries(kept.map(([name, value]) => [name, withFieldsOf(then[name], value)]))
}

/** Figures and settings of a list are named, as fields are. */
function isAdded(then: readonly unknown[], one: unknown): boolean {
  if (!isObject(one)) return false
  const name = 'figure' in one ? 'figure' : 'default' in one ? 'key' : undefined
  return name !== undefined && !then.some((other) => isObject(other) && other[name] === one[name])
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

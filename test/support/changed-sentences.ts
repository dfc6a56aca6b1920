/*
 * The sentences of answers that were worded anew after commit 6168b5d, each with its words of today; `{}` stands for a value. Answers recorded before
 * are compared in today's words: everything else in them is as it was, byte for byte (decision 217).
 */
import { readFileSync } from 'node:fs'

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

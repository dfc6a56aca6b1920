import { readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('RESULTS.md', import.meta.url)

/** Puts the result of a run into bench/RESULTS.md, in the place of the last one of its kind. */
export function writeResults(section: 'everything' | 'growth', result: string): void {
  writeFileSync(FILE, withResult(readFileSync(FILE, 'utf8'), section, result))
}

/** The document with another result between the two marks of a section. Errors: where the marks are gone. */
export function withResult(document: string, section: string, result: string): string {
  const [begin, end] = [`<!-- ${section}: written by npm run bench -->`, `<!-- end of ${section} -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`bench/RESULTS.md has lost its marks "${begin}" and "${end}"`)
  return `${document.slice(0, from + begin.length)}\n\n${result}\n\n${document.slice(to)}`
}

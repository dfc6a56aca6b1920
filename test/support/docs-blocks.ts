/*
 * The documents of the project and the fenced blocks in them.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** A fenced block: its language, its text, and the line of its first line. */
export type Block = Readonly<{ kind: 'block'; language: string; text: string; line: number }>

/** A directive for the test, hidden from readers: `<!-- test: stop the service -->`. */
export type Aside = Readonly<{ kind: 'aside'; text: string; line: number }>

/** Every document, by its path relative to the project's root. */
export function listDocuments(): string[] {
  return globSync('**/*.md', {
    cwd: PROJECT,
    exclude: (path) => /(^|\/)(node_modules|\.git)(\/|$)/.test(path),
  }).sort()
}

export function readDocument(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8')
}

/** The blocks and asides of a document, in order. Throws on a fence that is never closed and on a comment that is not a directive. */
export function readBlocks(document: string): (Block | Aside)[] {
  const found: (Block | Aside)[] = []
  let open: { language: string; line: number; indent: string; lines: string[] } | undefined
  for (const [index, line] of document.split('\n').entries()) {
    const fence = /^(\s*)```(.*)$/.exec(line)
    if (open !== undefined) {
      if (fence === null) open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
      else {
        found.push({ kind: 'block', language: open.language, text: open.lines.join('\n'), line: open.line })
        open = undefined
      }
    } else if (fence !== null) {
      open = { language: fence[2]!.trim(), line: index + 2, indent: fence[1]!, lines: [] }
    } else {
      const aside = /^<!--\s*test:\s*(.*?)\s*-->$/.exec(line)
      if (aside !== null) found.push({ kind: 'aside', text: aside[1]!, line: index + 1 })
      else if (line.startsWith('<!--') && !/written by npm run (bench|documents)|^<!-- end of/.test(line))
        throw new Error(
          `line ${index + 1}: a comment that neither a test, npm run bench nor npm run documents reads: ${line}`,
        )
    }
  }
  if (open !== undefined) throw new Error(`the fence that opens above line ${open.line} is never closed`)
  return found
}

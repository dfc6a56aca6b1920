import { isNode, LineCounter, parseDocument } from 'yaml'
import type { Program } from '../points/model.ts'
import { readProgram } from '../points/program.ts'

/** One thing wrong with a program file. `line` counts from 1; absent where the text has no place for it. */
export type FileFault = Readonly<{ path: string; line?: number; error: string }>

/** Reads the text of a program file, YAML or JSON, or lists every fault at once with path and line. */
export function readProgramText(text: string): { program: Program } | { faults: readonly FileFault[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  if (document.errors.length > 0) {
    return {
      faults: document.errors.map(({ pos, message }) => ({
        path: '',
        line: lines.linePos(pos[0]).line,
        error: message.split('\n')[0]!,
      })),
    }
  }
  // Aliases can unfold a small file into an enormous value; a program needs few.
  const read = readProgram(document.toJS({ maxAliasCount: 100 }))
  if ('program' in read) return read
  const lineOf = (path: string) => {
    const steps = path
      .split(/[.[\]]+/)
      .filter((step) => step !== '')
      .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
    for (let length = steps.length; length > 0; length -= 1) {
      const node = document.getIn(steps.slice(0, length), true)
      if (isNode(node) && node.range) return { line: lines.linePos(node.range[0]).line }
    }
    return {}
  }
  return { faults: read.faults.map((fault) => ({ ...fault, ...lineOf(fault.path) })) }
}

/** A block that a command writes into a document: `<!-- NAME: written by COMMAND -->` to `<!-- end of NAME -->`. */
export type MarkedBlock = Readonly<{ name: string; command: string }>

/** The document with a new text between the markers of a block. Throws if the markers are missing. */
export function withBlock(document: string, { name, command }: MarkedBlock, text: string): string {
  const [begin, end] = [`<!-- ${name}: written by ${command} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`a document has lost its markers "${begin}" and "${end}"`)
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`
}

/** The names of the blocks that a command writes into a document. */
export function blocksWrittenBy(command: string, document: string): string[] {
  return [...document.matchAll(/^<!-- (.+): written by (.+) -->$/gm)].flatMap(([, name, by]) =>
    by === command ? [name!] : [],
  )
}

import { isCollection, isMap, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml'

/** One thing wrong with a file that a person writes. `line` counts from 1; absent where the text has no place for it. */
export type FileFault = Readonly<{ path: string; line?: number; error: string }>

/** The value of a text; `withLine` adds the line at which the path of a fault, like `earn[0].name`, stands in it. */
export type YamlText = Readonly<{ value: unknown; withLine: (fault: FileFault) => FileFault }>

/** Reads YAML, or JSON, which is YAML too; or lists every fault of a text that is neither, with its line. */
export function readYaml(text: string): YamlText | { faults: readonly FileFault[] } {
  const lines = new LineCounter()
  // Keys are names: 007 is not 7.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, stringKeys: true })
  if (document.errors.length > 0) {
    return {
      faults: document.errors.map(({ pos, message }) => ({
        path: '',
        line: lines.linePos(pos[0]).line,
        error: message.split('\n')[0]!,
      })),
    }
  }
  const withLine = (fault: FileFault) => {
    const offset = nodeAt(document.contents, fault.path)?.range?.[0]
    return offset === undefined ? fault : { ...fault, line: lines.linePos(offset).line }
  }
  try {
    // Aliases can expand a small file into an enormous value; a person needs few.
    return { value: document.toJS({ maxAliasCount: 100 }), withLine }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return { faults: [{ path: '', error: error.message }] }
  }
}

/** The node that a path leads to, as far as it leads; undefined where not even its first step is there. */
function nodeAt(root: Node | null, path: string): Node | undefined {
  let found: Node | undefined
  let here: unknown = root
  let rest = path
  while (rest !== '' && isCollection(here)) {
    const step = isMap(here) ? keyIn(here.items, rest) : /^\[(\d+)\]/.exec(rest)
    if (step === null) break
    const [taken, name = ''] = step
    here = here.get(isMap(here) ? name : Number(name), true)
    if (here === undefined || here === null) break
    found = here as Node
    rest = rest.slice(taken.length).replace(/^\./, '')
  }
  return found
}

/** The longest key with which a path begins: keys may hold dots and brackets themselves. */
function keyIn(items: readonly unknown[], path: string): [taken: string, name: string] | null {
  const names = items
    .flatMap((item) => (isPair(item) && isScalar(item.key) ? [String(item.key.value)] : []))
    .filter((name) => path.startsWith(name) && /^(?:$|[.[])/.test(path.slice(name.length)))
    .sort((a, b) => b.length - a.length)
  return names[0] === undefined ? null : [names[0], names[0]]
}

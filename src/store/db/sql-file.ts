import { readFileSync } from 'node:fs'

/**
 * The text of `store/sql/<name>.sql`. Each store file reads its statements once, when it is loaded.
 *
 * A line `-- include: <fragment>` is replaced by the expression in `sql/fragments/<fragment>.sql`, which several statements share.
 * `:<part>` is replaced by an entry of `parts`, such as those derived from a table's columns (columns.ts).
 */
export function sqlFile(name: string, parts: Readonly<Record<string, string>> = {}): string {
  const whole = read(name).replace(/^ *-- include: ([\w-]+)$/gm, (_, fragment: string) =>
    read(`fragments/${fragment}`).replace(/^--.*\n/gm, ''),
  )
  return Object.entries(parts).reduce((text, [part, value]) => text.replaceAll(`:${part}`, value), whole)
}

function read(path: string): string {
  return readFileSync(new URL(`../sql/${path}.sql`, import.meta.url), 'utf8')
}

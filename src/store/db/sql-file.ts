import { readFileSync } from 'node:fs'

/** The text of `store/sql/<name>.sql`, read once when its store file is loaded. */
export function sqlFile(name: string): string {
  return readFileSync(new URL(`../sql/${name}.sql`, import.meta.url), 'utf8')
}

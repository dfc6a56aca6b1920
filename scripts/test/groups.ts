import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Large enough to share loaded modules and the in-memory database, small enough that no process runs long after the others. */
const FILES_MAX = 20
const TIME_LIMIT = join(import.meta.dirname, 'time-limit.ts')
/** The folders with the longest tests: these start first, or the run would end waiting for them alone. */
const FIRST = ['test/console', 'test/campaigns', 'test/docs', 'test/cli', 'test/contract', 'test/package']

/**
 * Groups neighbouring test files so that each group shares a process. Returns files to run, each of which loads its group; they are deleted
 * when this process ends.
 */
export function writeGroups(files: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-test-run-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const folders = Map.groupBy(files, folderOf)
  const inOrder = [...folders].sort(([one], [other]) => rank(one) - rank(other))
  return inOrder.flatMap(([folder, ofFolder]) =>
    sliced(ofFolder).map((group, index) => {
      const path = join(directory, `${folder.replaceAll('/', '-')}-${index + 1}.mjs`)
      const loaded = [TIME_LIMIT, ...group.map((file) => resolve(file))]
      writeFileSync(path, loaded.map((file) => `import ${JSON.stringify(pathToFileURL(file))}\n`).join(''))
      return path
    }),
  )
}

/** The kinds of tests below `test`; the tests beside the code are one kind, as each takes moments. */
function folderOf(file: string): string {
  const [top, kind] = file.split('/')
  return top === 'test' ? `${top}/${kind}` : top!
}

function rank(folder: string): number {
  const place = FIRST.indexOf(folder)
  return place < 0 ? FIRST.length : place
}

function sliced(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / FILES_MAX)
  return Array.from({ length: count }, (_, index) => files.filter((_, place) => place % count === index))
}

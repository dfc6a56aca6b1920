import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Enough to share what they load and the database in memory, few enough that no process runs long after the others. */
const FILES_MAX = 8
/** Where the longest are: a run that ends with them waits for them alone. */
const FIRST = ['test/docs', 'test/cli', 'test/contract']

/**
 * Files of tests that share a process: neighbours, some at a time. Answers files to run, each of which loads those of its group; they are gone
 * when this process ends.
 */
export function writeGroups(files: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-test-run-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const folders = Map.groupBy(files, (file) => file.split('/').slice(0, 2).join('/'))
  const inOrder = [...folders].sort(([one], [other]) => rank(one) - rank(other))
  return inOrder.flatMap(([folder, ofFolder]) =>
    sliced(ofFolder).map((group, index) => {
      const path = join(directory, `${folder.replaceAll('/', '-')}-${index + 1}.mjs`)
      writeFileSync(path, group.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(file)))}\n`).join(''))
      return path
    }),
  )
}

function rank(folder: string): number {
  const place = FIRST.indexOf(folder)
  return place < 0 ? FIRST.length : place
}

function sliced(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / FILES_MAX)
  return Array.from({ length: count }, (_, index) => files.filter((_, place) => place % count === index))
}

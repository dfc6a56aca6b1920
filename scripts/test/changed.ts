/*
 * Which tests are near a change: those that import a changed file, else those that import its importers, and so on. A file also depends on
 * what it names by a path or a pattern: a program that it starts, a document that it reads.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize } from 'node:path'

const CODE = /^(src|test|examples|bench|scripts)\/.*\.ts$/
const TEST = /\.test\.ts$/

/** The files that differ from a commit, including new ones. */
export function findChanged(commit: string): string[] {
  return [
    ...git('diff', '--name-only', '--relative', commit, '--'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

/** The tests nearest to the files, and the files without a test nearby. */
export function findTestsNear(changed: readonly string[]): { tests: string[]; untested: string[] } {
  const files = readFiles()
  const near = changed.map((file) => testsNear(file, files))
  return {
    tests: [...new Set(near.flat())].filter((file) => existsSync(file)).sort(),
    untested: changed.filter((_, index) => near[index]!.length === 0),
  }
}

type Code = Readonly<{
  path: string
  /** What it imports, starts or reads by a path relative to itself. All paths are relative to the project's root. */
  names: ReadonlySet<string>
  /** What else it may read: folders, glob patterns, and paths relative to the project's root. */
  patterns: readonly string[]
}>

function readFiles(): Code[] {
  const paths = [...git('ls-files'), ...git('ls-files', '--others', '--exclude-standard')]
  return paths.filter((path) => CODE.test(path) && existsSync(path)).map(readCode)
}

function readCode(path: string): Code {
  const code = readFileSync(path, 'utf8')
  const texts = [...code.matchAll(/['"`]([\w@*./-]*[./][\w@*./-]*)['"`]/g)]
    .map(([, text]) => text!)
    .filter((text) => /\w/.test(text))
  const fromHere = texts.map((text) => normalize(join(dirname(path), text)))
  const fromTop = texts.filter((text) => !text.startsWith('.')).map((text) => normalize(text))
  const statements = code.includes('sqlFile(import.meta.url') ? [path.replace(/\.ts$/, '.sql')] : []
  return {
    path,
    names: new Set([...fromHere, ...statements]),
    patterns: [...fromHere.filter((name) => /\*|\/$/.test(name)), ...fromTop].map((name) => name.replace(/\/$/, '/**')),
  }
}

function testsNear(changed: string, files: readonly Code[]): string[] {
  if (TEST.test(changed)) return [changed]
  // Files that read it through a pattern are near, but do not replace the files that import it.
  const readers = files.filter(({ patterns }) => patterns.some((pattern) => matchesGlob(changed, pattern)))
  const near = new Set(readers.flatMap(({ path }) => nearestAbove([path], files)))
  for (const test of nearestAbove(usersOf(changed, files), files, near)) near.add(test)
  return [...near]
}

/** The tests among the files; if all of them are already known, the tests among the files that use these, and so on. */
function nearestAbove(
  from: readonly string[],
  files: readonly Code[],
  known: ReadonlySet<string> = new Set(),
): string[] {
  const seen = new Set(known)
  for (let level = [...from]; level.length > 0; level = level.flatMap((path) => usersOf(path, files))) {
    level = level.filter((path) => !seen.has(path))
    // A test helper is as near as the tests that use it: the list grows while it is iterated.
    for (const path of level) {
      if (path.startsWith('test/support/') && !seen.has(path)) level.push(...usersOf(path, files))
      seen.add(path)
    }
    const tests = level.filter((path) => TEST.test(path) && !known.has(path))
    if (tests.length > 0) return tests
  }
  return []
}

function usersOf(path: string, files: readonly Code[]): string[] {
  return files.filter(({ names }) => names.has(path)).map(({ path }) => path)
}

function git(...args: string[]): string[] {
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
}

/*
 * Which tests can notice a fault in a file: those whose imports reach it, nearest first.
 */
import { dirname, join } from 'node:path/posix'

/** Files by their path from the project's root, with the paths that each imports, or starts as a thread. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

const importPattern =
  /\b(?:import|export)\s(?!type\b)[^'"]*?\bfrom\s*'(\.[^']+)'|\bimport\s*\(?\s*'(\.[^']+)'|\bnew URL\('(\.[^']+\.ts)'/g

/** The graph of TypeScript files that are given as path and text. Imports of types alone are left out: nothing of them runs. */
export function readImportGraph(files: Iterable<readonly [path: string, text: string]>): ImportGraph {
  const graph = new Map<string, string[]>()
  for (const [path, text] of files) {
    const names = [...text.matchAll(importPattern)].map((found) => found[1] ?? found[2] ?? found[3]!)
    graph.set(
      path,
      names.map((name) => join(dirname(path), name)),
    )
  }
  return graph
}

/**
 * The tests that reach `file`, in groups: the test of the same name beside it, then those that import it themselves, then those with one
 * import more between, and so on.
 */
export function nearestTests(graph: ImportGraph, file: string): string[][] {
  const importers = Map.groupBy(
    [...graph].flatMap(([importer, imported]) => imported.map((path) => ({ importer, path }))),
    ({ path }) => path,
  )
  const beside = file.replace(/\.ts$/, '.test.ts')
  const groups: string[][] = [graph.has(beside) ? [beside] : []]
  const reached = new Set([file, beside])
  for (let found = [file]; found.length > 0; ) {
    found = found.flatMap((path) => importers.get(path) ?? []).map(({ importer }) => importer)
    found = [...new Set(found)].filter((path) => !reached.has(path))
    for (const path of found) reached.add(path)
    groups.push(found.filter((path) => path.endsWith('.test.ts')).sort())
  }
  return groups.filter((group) => group.length > 0)
}

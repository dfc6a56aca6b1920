/*
 * The tests that can detect a fault in a file: those whose imports reach it, nearest first.
 */
import { basename, dirname, join } from 'node:path/posix'

/** Files by their path from the project's root, with the paths that each imports, or starts as a thread. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

const importPattern =
  /\b(?:import|export)\s(?!type\b)[^'"]*?\bfrom\s*'(\.[^']+)'|\bimport\s*\(?\s*'(\.[^']+)'|\bnew URL\('(\.[^']+\.ts)'/g

/** The graph of TypeScript files that are given as path and text. Type-only imports are left out, because none of their code runs. */
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
 * The tests that reach `file`, nearest first: the one of the same name beside it, then by the number of imports between, then by how many
 * words their names share, then by path.
 */
export function nearestTests(graph: ImportGraph, file: string): string[] {
  const importers = Map.groupBy(
    [...graph].flatMap(([importer, imported]) => imported.map((path) => ({ importer, path }))),
    ({ path }) => path,
  )
  const distances = new Map([[file, 0]])
  // A map may grow while it is iterated, so this is a breadth-first search: each file is reached by the shortest path.
  for (const [reached, distance] of distances)
    for (const { importer } of importers.get(reached) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  const beside = file.replace(/\.ts$/, '.test.ts')
  if (graph.has(beside)) distances.set(beside, 0)

  const words = wordsOf(file)
  return [...distances]
    .filter(([path]) => path.endsWith('.test.ts'))
    .map(([test, distance]) => ({ test, distance, shared: wordsOf(test).intersection(words).size }))
    .sort((a, b) => a.distance - b.distance || b.shared - a.shared || (a.test < b.test ? -1 : 1))
    .map(({ test }) => test)
}

/** The words of a file's name, in the singular. */
function wordsOf(path: string): Set<string> {
  const [name] = basename(path).split('.')
  return new Set(name!.split('-').map((word) => word.replace(/s$/, '')))
}

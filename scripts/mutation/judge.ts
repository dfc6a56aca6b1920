/*
 * Whether the tests detect a mutant: its nearest tests run on it, one after the other, until one fails.
 */
import { type Mutant, withMutant } from './mutants.ts'
import { nearestTests, readImportGraph } from './nearest-tests.ts'
import type { Outcome, Sandbox } from './sandbox.ts'

export interface Judgement extends Mutant {
  /**
   * `killed` and `timeout`: a test failed, or did not end in several times its usual time. `types`: no test failed, and the type checker
   * rejects it. `survived`: neither. `untested`: no test imports the file, even indirectly, or none of those passes without a mutant.
   */
  readonly verdict: 'killed' | 'timeout' | 'types' | 'survived' | 'untested'
  /** The test that detected it. */
  readonly by?: string
  readonly ms: number
}

export interface Judge {
  judge(sandbox: Sandbox, mutant: Mutant): Promise<Judgement>
  /** Tests that fail without any mutant, so they are not used. */
  readonly failing: ReadonlySet<string>
}

const typesMsMax = 120_000
const testMsMax = 10 * 60_000
const graceMs = 10_000

/**
 * @param sources  every TypeScript file of the project, by its path
 * @param testsMax how many of the nearest test files run on a mutant
 */
export function createJudge(sources: ReadonlyMap<string, string>, testsMax: number): Judge {
  const graph = readImportGraph(sources)
  const usualMs = new Map<string, Promise<number | undefined>>()
  const failing = new Set<string>()

  async function measure(sandbox: Sandbox, test: string): Promise<number | undefined> {
    const startedAt = performance.now()
    const outcome = await sandbox.runTest(test, testMsMax)
    if (outcome === 'failed') failing.add(test)
    return outcome === 'passed' ? performance.now() - startedAt : undefined
  }

  async function judgeText(sandbox: Sandbox, mutant: Mutant): Promise<Pick<Judgement, 'verdict' | 'by'>> {
    const text = sources.get(mutant.file)!
    const mutated = withMutant(text, mutant)
    const onMutated = async (run: () => Promise<Outcome>) => {
      sandbox.write(mutant.file, mutated)
      const outcome = await run()
      sandbox.write(mutant.file, text)
      return outcome
    }
    const hasTypeErrors = async () => (await onMutated(() => sandbox.checkTypes(typesMsMax))) !== 'passed'
    let typesChecked = false
    let tested = false
    for (const test of nearestTests(graph, mutant.file).slice(0, testsMax)) {
      // The sandboxes share one measurement, made by the first that needs it.
      if (!usualMs.has(test)) usualMs.set(test, measure(sandbox, test))
      const ms = await usualMs.get(test)
      if (ms === undefined) continue
      // Tests beside the code take less time than the type checker, all others take more.
      if (!test.startsWith('src/') && !typesChecked) {
        if (await hasTypeErrors()) return { verdict: 'types' }
        typesChecked = true
      }
      const outcome = await onMutated(() => sandbox.runTest(test, graceMs + 5 * ms))
      tested = true
      if (outcome === 'passed') continue
      return { verdict: outcome === 'timeout' ? 'timeout' : 'killed', by: test }
    }
    if (!tested) return { verdict: 'untested' }
    return { verdict: !typesChecked && (await hasTypeErrors()) ? 'types' : 'survived' }
  }

  return {
    failing,
    async judge(sandbox, mutant) {
      const startedAt = performance.now()
      const found = await judgeText(sandbox, mutant)
      return { ...mutant, ...found, ms: Math.round(performance.now() - startedAt) }
    },
  }
}

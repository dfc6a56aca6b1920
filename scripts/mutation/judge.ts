/*
 * Whether the tests notice a mutant: its nearest tests run on it, one after the other, until one fails.
 */
import { type Mutant, withMutant } from './mutants.ts'
import { nearestTests, readImportGraph } from './nearest-tests.ts'
import type { Outcome, Sandbox } from './sandbox.ts'

export interface Judgement extends Mutant {
  /**
   * `killed` and `timeout`: a test failed, or did not end in several times its usual time. `types`: no test failed, and the type checker
   * refuses it. `survived`: neither. `untested`: no usable test imports the file, however indirectly.
   */
  readonly verdict: 'killed' | 'timeout' | 'types' | 'survived' | 'untested'
  /** The test that noticed it. */
  readonly by?: string
  readonly ms: number
}

export interface Judge {
  judge(sandbox: Sandbox, mutant: Mutant): Promise<Judgement>
  /** Tests that fail, or take longer than the budget, without any mutant. They judge nothing. */
  readonly unusable: ReadonlySet<string>
}

export interface JudgeOptions {
  /** How many of the nearest tests a mutant meets. */
  readonly testsMax: number
  /** How long they may take together, by the time that they take without it. */
  readonly budgetMs: number
}

// Types are checked before the first test that takes longer than that check does.
const cheapMs = 2000
const typesMsMax = 120_000

/** @param sources  every TypeScript file of the project, by its path */
export function createJudge(sources: ReadonlyMap<string, string>, { testsMax, budgetMs }: JudgeOptions): Judge {
  const graph = readImportGraph(sources)
  const usualMs = new Map<string, Promise<number | undefined>>()
  const kills = new Map<string, number>()
  const unusable = new Set<string>()

  async function measure(sandbox: Sandbox, test: string): Promise<number | undefined> {
    const startedAt = performance.now()
    if ((await sandbox.runTest(test, budgetMs)) === 'passed') return performance.now() - startedAt
    unusable.add(test)
    return undefined
  }

  /** The nearest tests of a file that fit into the budget together. Of tests that are equally near, those that killed most come first. */
  async function* testsWithin(sandbox: Sandbox, file: string): AsyncGenerator<{ test: string; ms: number }> {
    const killsOf = (test: string) => kills.get(`${file} ${test}`) ?? 0
    const nearest = nearestTests(graph, file)
    nearest.sort((a, b) => a.distance - b.distance || killsOf(b.test) - killsOf(a.test))
    let leftMs = budgetMs
    for (const { test } of nearest.slice(0, testsMax)) {
      // The sandboxes share one measurement, made by the first that needs it.
      if (!usualMs.has(test)) usualMs.set(test, measure(sandbox, test))
      const ms = await usualMs.get(test)
      if (ms === undefined) continue
      if (ms > leftMs) return
      leftMs -= ms
      yield { test, ms }
    }
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
    for await (const { test, ms } of testsWithin(sandbox, mutant.file)) {
      if (ms > cheapMs && !typesChecked) {
        if (await hasTypeErrors()) return { verdict: 'types' }
        typesChecked = true
      }
      const outcome = await onMutated(() => sandbox.runTest(test, 5000 + 4 * ms))
      tested = true
      if (outcome === 'passed') continue
      kills.set(`${mutant.file} ${test}`, (kills.get(`${mutant.file} ${test}`) ?? 0) + 1)
      return { verdict: outcome === 'timeout' ? 'timeout' : 'killed', by: test }
    }
    if (!tested) return { verdict: 'untested' }
    return { verdict: !typesChecked && (await hasTypeErrors()) ? 'types' : 'survived' }
  }

  return {
    unusable,
    async judge(sandbox, mutant) {
      const startedAt = performance.now()
      const found = await judgeText(sandbox, mutant)
      return { ...mutant, ...found, ms: Math.round(performance.now() - startedAt) }
    },
  }
}

/*
 * The planted campaign: old faults (planted.yaml) are planted one at a time in a copy of the project, and the test that was written for a fault must
 * fail on it.
 * `npm run campaign:planted -- --count 10 --seed 7` draws some of them, `npm run campaign:planted -- start.test` plants those of a test.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'yaml'
import { embeddedTemplate } from '../support/database-templates.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { copyProject, type Outcome, type ProjectCopy } from '../support/project-copy.ts'
import { campaignCommand, runCampaign, wholeFrom } from './arguments.ts'

export type PlantedCampaign = Readonly<{
  /** How many faults are drawn; all, if there are fewer. */
  count: number
  seed: number
  /** Only faults whose sentence, file or test contains all of these are drawn. */
  words: readonly string[]
  /** Called with a line for each fault. */
  say: (line: string) => void
}>

/** An edit that brings a fault back, and the test that finds it: a file, and a part of the test's name. */
export type Planted = Readonly<{ fault: string; file: string; from: string; to: string; test: string; name: string }>

/** How long a test may take without a fault. */
const USUAL_MS_MAX = 5 * 60_000
/** A test that takes this much longer than without the fault has noticed it. */
const SLOWER_TIMES = 5
const SLOWER_MS = 10_000
/** A race shows in one of so many runs. */
const RUNS_MAX = 4

/** The list in planted.yaml. */
export function listPlanted(): Planted[] {
  return parse(readFileSync(join(import.meta.dirname, 'planted.yaml'), 'utf8'))
}

/** The text of a file with a fault. Errors: Error unless the text to replace occurs in it exactly once. */
export function withPlanted(text: string, { fault, file, from, to }: Planted): string {
  const [before, after, ...more] = text.split(from)
  if (after === undefined || more.length > 0)
    throw new Error(
      `${file} has the place to change for "${fault}" ${more.length === 0 ? 'not at all' : 'more than once'}`,
    )
  return `${before}${to}${after}`
}

/** Tries every fault that is drawn. Rejects in the end if a test did not notice its fault, or fails without one. */
export async function runPlantedCampaign({ count, seed, words, say }: PlantedCampaign): Promise<void> {
  const chosen = drawPlanted(words, count, seed)
  process.env.LAUREL_TEST_DATABASE_URL ??= (await startPostgresServer()).url
  await embeddedTemplate() // It is shared with the copy, and no fault may make it.
  const copy = copyProject()
  process.once('exit', copy.remove)
  // The copy is deleted at the exit, and what runs in it is ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
  const wrong: string[] = []
  try {
    for (const sameTest of Map.groupBy(chosen, ({ test, name }) => `${test} ${name}`).values()) {
      const { test, name } = sameTest[0]!
      const startedAt = performance.now()
      const isGood = (await copy.runTest(test, name, USUAL_MS_MAX)) === 'passed'
      const limitMs = SLOWER_MS + SLOWER_TIMES * (performance.now() - startedAt)
      for (const planted of sameTest) {
        const isNoticed = isGood && (await tryPlanted(copy, planted, limitMs)) !== 'passed'
        const verdict = isNoticed ? 'noticed' : isGood ? 'NOT NOTICED' : 'THE TEST FAILS WITHOUT IT'
        const line = `${verdict}: ${planted.fault} (${test})`
        say(line)
        if (!isNoticed) wrong.push(line)
      }
    }
  } finally {
    copy.remove()
  }
  say(`${chosen.length - wrong.length} of ${chosen.length} faults noticed`)
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
}

/** The same seed draws the same faults, in the order of the list. */
function drawPlanted(words: readonly string[], count: number, seed: number): readonly Planted[] {
  const matching = listPlanted().filter((one) =>
    words.every((word) => [one.fault, one.file, one.test].some((text) => text.includes(word))),
  )
  if (matching.length === 0) throw new Error(`no fault has these words: ${words.join(' ')}`)
  const length = Math.min(count, matching.length)
  return fc.sample(fc.subarray(matching, { minLength: length, maxLength: length }), { seed, numRuns: 1 })[0]!
}

async function tryPlanted(copy: ProjectCopy, planted: Planted, limitMs: number): Promise<Outcome> {
  const text = readFileSync(join(PROJECT, planted.file), 'utf8')
  copy.write(planted.file, withPlanted(text, planted))
  let outcome: Outcome = 'passed'
  for (let run = 0; outcome === 'passed' && run < RUNS_MAX; run += 1)
    outcome = await copy.runTest(planted.test, planted.name, limitMs)
  copy.write(planted.file, text)
  return outcome
}

if (import.meta.main) {
  const command = campaignCommand('planted', 'Plants old faults one at a time, and runs the test written for each.')
    .argument('[words...]', 'only faults whose sentence, file or test contains all of these')
    .option('--count <number>', 'number of faults to draw (default: all)', wholeFrom(1))
    .option('--seed <number>', 'the same seed draws the same faults', wholeFrom(0), 1)
    .parse()
  const { count = Number.POSITIVE_INFINITY, seed } = command.opts<{ count?: number; seed: number }>()
  await runCampaign(() => runPlantedCampaign({ count, seed, words: command.args, say: console.log }))
}

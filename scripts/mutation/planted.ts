/*
 * Old faults, planted one at a time in a copy of the project: the test that was written for a fault must fail on it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { createSandbox, type Outcome, type Sandbox } from './sandbox.ts'

/** An edit that brings a fault back, and the test that finds it: a file, and a part of the test's name. */
export type Planted = Readonly<{ fault: string; file: string; from: string; to: string; test: string; name: string }>

const LIMIT_MS = 5 * 60_000

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

/**
 * Plants each fault whose description, file or test contains all of `words` (none: every fault), and prints the verdict of its test. Returns
 * the exit code: 0 if every test failed, 1 if one did not notice its fault, 2 if one fails without it, too.
 */
export async function tryPlanted(project: string, words: readonly string[]): Promise<0 | 1 | 2> {
  const chosen = listPlanted().filter((one) =>
    words.every((word) => [one.fault, one.file, one.test].some((text) => text.includes(word))),
  )
  const sandbox = createSandbox(project)
  process.once('exit', sandbox.remove)
  const found = { failed: 0, timeout: 0, passed: 0, broken: 0 }
  for (const [, sameTest] of Map.groupBy(chosen, ({ test, name }) => `${name} ${test}`)) {
    const { test, name } = sameTest[0]!
    const isGood = (await sandbox.runTest(test, LIMIT_MS, name)) === 'passed'
    for (const planted of sameTest) {
      const outcome = isGood ? await runPlanted(sandbox, project, planted) : 'broken'
      found[outcome] += 1
      console.log(`${VERDICTS[outcome]}  ${planted.fault}  (${test})`)
    }
  }
  console.log(`${chosen.length} faults: ${found.failed + found.timeout} noticed, ${found.passed} not noticed`)
  return found.broken > 0 ? 2 : found.passed > 0 ? 1 : 0
}

const VERDICTS: Readonly<Record<Outcome | 'broken', string>> = {
  failed: 'noticed    ',
  timeout: 'noticed    ',
  passed: 'NOT NOTICED',
  broken: 'NO TEST    ',
}

async function runPlanted(sandbox: Sandbox, project: string, planted: Planted): Promise<Outcome> {
  const text = readFileSync(join(project, planted.file), 'utf8')
  sandbox.write(planted.file, withPlanted(text, planted))
  const outcome = await sandbox.runTest(planted.test, LIMIT_MS, planted.name)
  sandbox.write(planted.file, text)
  return outcome
}

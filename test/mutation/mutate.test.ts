/*
 * `npm run mutate` as a process, on a project of one function.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { PROJECT } from '../support/docs-blocks.ts'
import { temporaryDirectory } from '../support/service-process.ts'

type Ended = Readonly<{ code: number; stdout: string; stderr: string }>

const run = promisify(execFile)
const code = 'export const withFee = (cents: number): number => (cents > 100 ? cents + 5 : cents)\n'
const goodTest = testOf('assert.deepEqual([withFee(200), withFee(100), withFee(50)], [205, 100, 50])')
const halfTest = testOf('assert.deepEqual([withFee(200), withFee(50)], [205, 50])')

describe('npm run mutate', () => {
  test('reports which fault no test notices and ends with 1, and changes nothing but its report', async (t) => {
    const project = makeProject(t, halfTest)
    const { code: exitCode, stdout, stderr } = await mutate(project, 'src')

    assert.equal(exitCode, 1, stderr)
    assert.match(
      stdout,
      /^src\/fee\.ts:1:52 {2}EqualityOperator, survived\n {2}- cents > 100\n {2}\+ cents >= 100\n\n +mutants/,
    )
    assert.equal(stdout.match(/survived\n/g)?.length, 1)
    assert.match(stdout, /^all +6 +5 +0 +0 +1 +0$/m)
    assert.match(stderr, /^\d+ s {2}6 of 6 mutants, 1 survived$/m)
    assert.equal(readFileSync(join(project, 'src/fee.ts'), 'utf8'), code)
    const report = JSON.parse(readFileSync(join(project, 'mutation-report.json'), 'utf8'))
    assert.deepEqual(report.map(({ verdict, by }: Record<string, string>) => `${verdict} ${by}`).sort(), [
      ...Array(5).fill('killed src/fee.test.ts'),
      'survived undefined',
    ])
  })

  test('ends with 0 when every fault is noticed', async (t) => {
    const { code: exitCode, stdout, stderr } = await mutate(makeProject(t, goodTest), 'src/fee.ts')
    assert.equal(exitCode, 0, stderr)
    assert.match(stdout, /^all +6 +6 +0 +0 +0 +0$/m)
  })

  test('ends with 2 when a test fails without any fault, as it could notice none', async (t) => {
    const { code: exitCode, stdout } = await mutate(
      makeProject(t, testOf('assert.equal(withFee(0), 1)')),
      'src',
      '--count',
      '1',
    )
    assert.equal(exitCode, 2)
    assert.match(stdout, /^src\/fee\.test\.ts was not used: it fails without any mutant$/m)
  })

  test('refuses paths without code to mutate', async (t) => {
    const { code: exitCode, stderr } = await mutate(makeProject(t, goodTest), 'docs')
    assert.equal(exitCode, 1)
    assert.match(stderr, /there is no mutant to make in those paths/)
  })
})

function makeProject(t: TestContext, testText: string): string {
  const project = temporaryDirectory(t)
  execFileSync('git', ['init', '--quiet'], { cwd: project })
  symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'))
  const settings = { noEmit: true, strict: true, module: 'nodenext', allowImportingTsExtensions: true, types: ['node'] }
  const files = {
    '.gitignore': 'node_modules\n',
    'package.json': '{ "type": "module" }\n',
    'tsconfig.json': JSON.stringify({ compilerOptions: settings }),
    'src/fee.ts': code,
    'src/fee.test.ts': testText,
  }
  mkdirSync(join(project, 'src'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
  return project
}

function testOf(assertion: string): string {
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFee } from './fee.ts'
test('large amounts carry a fee', () => ${assertion})
`
}

async function mutate(project: string, ...args: string[]): Promise<Ended> {
  const argv = [join(PROJECT, 'scripts/mutate.ts'), '--workers', '1', ...args]
  return await run(process.execPath, argv, { cwd: project }).then(
    (output) => ({ code: 0, ...output }),
    (error: Ended) => error,
  )
}

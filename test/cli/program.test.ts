import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { runCommand } from '../support/run-command.ts'
import { type Ended, temporaryDirectory } from '../support/service-process.ts'
import { openServerApp } from '../support/test-app.ts'

const outcome = ({ code, stdout, stderr }: Ended) => [code, stdout, stderr]

const STARTER_TO_GENEROUS = `@@ -1,4 +1,4 @@
-name: Starter
+name: Generous
 rounding: floor                    # applied once, to the order's sum
 
 levels:
@@ -11,4 +11,4 @@
 
 earn:
   - name: base
-    per-amount: { points: 1, every: 10, of: net }     # 1 point for every 10 of the amount after discount
+    per-amount: { points: 1, every: 5, of: net }     # 1 point for every 10 of the amount after discount
`
const GENEROUS = STARTER_PROGRAM.replace('Starter', 'Generous').replace('every: 10,', 'every: 5,')

test('two files are compared as texts even where they have faults, and no database is opened for it', async (t) => {
  const directory = temporaryDirectory(t)
  const env = { LAUREL_DATA: join(directory, 'data'), DATABASE_URL: 'postgres://127.0.0.1:9/none' }
  writeFileSync(join(directory, 'a.yaml'), 'name: A\nrounding: upwards\n')
  writeFileSync(join(directory, 'b.yaml'), 'name: A\nrounding: floor')
  writeFileSync(join(directory, '7'), 'name: A\nrounding: floor')
  const diff = (...names: string[]) => runCommand(['program', 'diff', ...names], env, { cwd: directory })
  const [changed, same, missing, inColour] = await Promise.all([
    diff('a.yaml', 'b.yaml'),
    diff('b.yaml', './7'),
    diff('a.yaml', 'c.yaml'),
    runCommand(['program', 'diff', 'a.yaml', 'b.yaml'], { ...env, FORCE_COLOR: '1' }, { cwd: directory }),
  ])
  assert.deepEqual(outcome(changed), [
    0,
    '--- a.yaml\n+++ b.yaml\n@@ -1,2 +1,2 @@\n name: A\n-rounding: upwards\n+rounding: floor\n\\ No newline at end of file\n',
    '',
  ])
  assert.deepEqual(outcome(same), [0, 'no difference\n', ''])
  assert.deepEqual(outcome(missing), [2, '', 'laurel: c.yaml: cannot be read (ENOENT)\n'])
  assert(inColour.stdout.includes('\u001b[31m-rounding: upwards\u001b'), inColour.stdout)
  assert(!existsSync(env.LAUREL_DATA))
})

const CASES = `products: { TEA-1: 45.00 }
players:
  asha: { points: 480 }
cases:
  - name: the order that reaches Silver
    orders:
      - { player: asha, total_amount: 200, expect: { points: 20, level: Silver, balance: 500 } }
  - name: a cup too many
    orders:
      - { order_id: o-1, player: asha, total_amount: 1234, expect: { points: 124, earned: { base: "123.5" } } }
      - { order_id: o-1, status: cancelled, expect: { points: 0, not_applied: [base], balance: 480 } }
  - name: an order of two players
    orders:
      - { order_id: o-1, player: asha, expect: { points: 0 } }
      - { order_id: o-1, player: somebody, expect: { points: 0 } }
`

test('a program is tried on test orders: a line for each case, reasons for those that failed, exit code 1', async (t) => {
  const directory = temporaryDirectory(t)
  const env = { LAUREL_DATA: join(directory, 'data'), DATABASE_URL: 'postgres://127.0.0.1:9/none' }
  writeFileSync(join(directory, 'a.yaml'), STARTER_PROGRAM)
  writeFileSync(join(directory, 'a.cases.yaml'), CASES)
  writeFileSync(join(directory, 'good.cases.yaml'), CASES.slice(0, CASES.indexOf('  - name: a cup')))
  writeFileSync(
    join(directory, 'empty.cases.yaml'),
    'cases: [{ name: "nothing \\u001b[31m", orders: [{ expect: { points: 0 } }] }]',
  )
  writeFileSync(join(directory, 'bad.cases.yaml'), CASES.replace('points: 124', 'point: 124'))
  const check = (...args: string[]) => runCommand(['program', 'check', ...args], env, { cwd: directory })
  const [failed, good, empty, bad, badProgram, missing, coloured] = await Promise.all([
    check('a.yaml', '--cases', 'good.cases.yaml', '--cases', 'a.cases.yaml'),
    check('--cases', 'good.cases.yaml', 'a.yaml'),
    check('a.yaml', '--cases', 'empty.cases.yaml'),
    check('a.yaml', '--cases', 'bad.cases.yaml', '--cases', 'a.yaml'),
    check('good.cases.yaml', '--cases', 'good.cases.yaml'),
    check('a.yaml', '--cases', 'none.yaml'),
    runCommand(
      ['program', 'check', 'a.yaml', '--cases', 'a.cases.yaml'],
      { ...env, FORCE_COLOR: '1' },
      { cwd: directory },
    ),
  ])
  assert.deepEqual(outcome(failed), [
    1,
    `a.yaml: no errors

good.cases.yaml
ok      the order that reaches Silver

a.cases.yaml
ok      the order that reaches Silver
FAILED  a cup too many
    order o-1 of asha
      points: expected 124, got 123
      earned by base: expected 123.5, got 123.4
      because
        base: 123.4 (net 1234, points 1, every 10)
        rounding: -0.4
        level: Bronze to Silver
FAILED  an order of two players
    order o-1 of somebody is refused: order o-1 belongs to another player

`,
    'laurel: 2 of 4 cases failed\n',
  ])
  assert.deepEqual(outcome(good), [
    0,
    'a.yaml: no errors\n\ngood.cases.yaml\nok      the order that reaches Silver\n\n1 case, all as expected\n',
    '',
  ])
  assert.deepEqual(outcome(empty), [
    0,
    'a.yaml: no errors\n\nempty.cases.yaml\nok      nothing \\u001b[31m\n\nrules not covered by any case: base\n1 case, all as expected\n',
    '',
  ])
  assert.deepEqual([bad.code, bad.stdout], [1, ''])
  assert.match(
    bad.stderr,
    /^laurel: bad\.cases\.yaml has 1 error\n {2}line 10, column 70: cases\[1\]\.orders\[0\]\.expect\.point: unknown field, did you mean points\?\n.*\n +\^ see docs\/what-if\.md#test-orders\na\.yaml has 5 errors\n/,
  )
  assert.match(badProgram.stderr, /^laurel: good\.cases\.yaml has \d+ errors\n/)
  assert.deepEqual(outcome(missing), [2, '', 'laurel: none.yaml: cannot be read (ENOENT)\n'])
  assert(coloured.stdout.includes('\u001b[32mok\u001b') && coloured.stdout.includes('\u001b[31mFAILED\u001b'))
  assert(!existsSync(env.LAUREL_DATA))
})

test('a version is compared with a file or another version; one alone is compared with the version in effect', async (t) => {
  const { url, token } = await openServerApp(t)
  const directory = temporaryDirectory(t)
  const laurel = (...args: string[]) => runCommand([...args, '--url', url], { LAUREL_TOKEN: token }, { cwd: directory })
  const diff = async (...names: string[]) => outcome(await laurel('program', 'diff', ...names))
  writeFileSync(join(directory, 'generous.yaml'), GENEROUS)

  assert.deepEqual(await diff('generous.yaml'), [0, `--- version 1\n+++ generous.yaml\n${STARTER_TO_GENEROUS}`, ''])
  assert.equal((await laurel('program', 'publish', 'generous.yaml')).code, 0)
  const results = await Promise.all([
    diff('1', '2'),
    diff('generous.yaml'),
    diff('current', 'generous.yaml'),
    diff('1'),
    diff('1', '9'),
  ])
  const asJson = JSON.parse((await laurel('program', 'diff', '1', '2', '--json')).stdout)
  assert.deepEqual(asJson, {
    ...{ from: 'version 1', to: 'version 2', equal: false },
    patch: `--- version 1\n+++ version 2\n${STARTER_TO_GENEROUS}`,
  })
  const { version, source } = JSON.parse((await laurel('program', 'show', '--json')).stdout)
  assert.deepEqual([version, source], [2, GENEROUS])
  assert.deepEqual(results[0], [0, `--- version 1\n+++ version 2\n${STARTER_TO_GENEROUS}`, ''])
  assert.deepEqual(results[1], [0, 'no difference\n', ''])
  assert.deepEqual(results[2], [0, 'no difference\n', ''])
  assert.match(String(results[3]![1]), /^--- version 2\n\+\+\+ version 1\n/)
  assert.deepEqual(results[4], [1, '', 'laurel: program version 9 not found\n'])
})

test('a version is withdrawn, and the list says so', async (t) => {
  const { url, token } = await openServerApp(t)
  const directory = temporaryDirectory(t)
  const laurel = (...args: string[]) =>
    runCommand(['program', ...args, '--url', url], { LAUREL_TOKEN: token }, { cwd: directory })
  writeFileSync(join(directory, 'generous.yaml'), GENEROUS)
  assert.equal((await laurel('publish', 'generous.yaml', '--from', '2099-01-01T00:00:00Z')).code, 0)
  assert.deepEqual(outcome(await laurel('withdraw', '2')), [0, 'version 2 is withdrawn and will not take effect\n', ''])
  const listed = (await laurel('list')).stdout
  assert.match(listed, /^1 .* always +in effect /m)
  assert.match(listed, /^2 .* 2099-01-01T00:00:00\.000Z +withdrawn /m)
  assert.deepEqual(outcome(await laurel('withdraw', '1')), [
    1,
    '',
    'laurel: version: expected a version not yet in effect: this one has been in effect from the beginning\n',
  ])
})

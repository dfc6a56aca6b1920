/*
 * Which mutants are generated, the text of a mutated file, and which tests run on them.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawMutants, mutantsOf, withMutant } from '../../scripts/mutation/mutants.ts'
import { nearestTests, readImportGraph } from '../../scripts/mutation/nearest-tests.ts'

describe('mutants', () => {
  const text = `export const total = (a: number, b: number, c: boolean) =>
  a * (b + 1) > 10 && c ? a - b : b
`

  test('a fault changes its own place and leaves the code around it as it was', async () => {
    const mutants = await mutantsOf('total.ts', text)
    const product = mutants.find(({ original }) => original === 'a * (b + 1)')!
    assert.deepEqual([product.line, product.column, product.mutator], [2, 3, 'ArithmeticOperator'])
    for (const mutant of mutants) {
      const changed = withMutant(text, mutant)
      assert.notEqual(changed, text)
      assert(changed.startsWith(text.slice(0, mutant.start)) && changed.endsWith(text.slice(mutant.end)))
    }
  })

  test('an operator that binds less tightly does not capture the terms around it', async () => {
    const line = 'export const both = (a: boolean, b: boolean, c: boolean) => a && b && c\n'
    const mutants = await mutantsOf('both.ts', line)
    const inner = mutants.find(({ original, mutator }) => original === 'a && b' && mutator === 'LogicalOperator')!
    assert.match(withMutant(line, inner), /=> \(a \|\| b\) && c\n$/)
  })

  test('the same seed draws the same mutants in the same order, and another seed draws others', async () => {
    const mutants = await mutantsOf('total.ts', text)
    const drawn = drawMutants(mutants, 5, 1)
    assert.equal(drawn.length, 5)
    assert.deepEqual(drawMutants(mutants.toReversed(), 5, 1).toReversed(), drawn)
    assert.deepEqual(
      drawn,
      mutants.filter((mutant) => drawn.includes(mutant)),
    )
    assert.notDeepEqual(drawMutants(mutants, 5, 2), drawn)
    assert.deepEqual(drawMutants(mutants, 1000, 1), mutants)
  })
})

describe('the nearest tests of a file', () => {
  const graph = readImportGraph([
    ['src/total.ts', "import type { Order } from './read-order.ts'\nimport { x } from 'x'\n"],
    ['src/read-order.ts', ''],
    ['src/read-order.test.ts', "import { total } from './total.ts'\n"],
    ['src/thread.ts', "import {\n  readOrder,\n} from './read-order.ts'\n"],
    ['src/pool.ts', "import { readFile } from 'node:fs'\nnew Worker(new URL('./thread.ts', import.meta.url))\n"],
    ['src/total.test.ts', "import { total } from './total.ts'\n"],
    ['test/pool.test.ts', "export { pool } from '../src/pool.ts'\n"],
    ['test/orders.test.ts', "import { pool } from '../src/pool.ts'\n"],
    ['test/whole.test.ts', "await import('../src/pool.ts')\nawait import('../src/read-order.ts')\n"],
  ])

  test('are the one beside it, then those the fewest imports away, even through threads, then those with a similar name', () => {
    assert.deepEqual(nearestTests(graph, 'src/read-order.ts'), [
      'src/read-order.test.ts',
      'test/whole.test.ts',
      'test/orders.test.ts',
      'test/pool.test.ts',
    ])
  })

  test('are none where only a type is imported', () => {
    assert.deepEqual(nearestTests(readImportGraph([['c.test.ts', "import type { A } from './a.ts'"]]), 'a.ts'), [])
  })
})

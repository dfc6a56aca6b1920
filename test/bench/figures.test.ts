import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { alternate, figureOf, median, quantile } from '../../bench/figures.ts'
import { speedOf, withResult } from '../../bench/results.ts'
import { tableOf, verdictOf } from '../../bench/table.ts'
import { TARGETS, type Target } from '../../bench/targets.ts'
import { PROJECT } from '../support/docs-blocks.ts'

test('the median is the middle value, or the mean of the two in the middle', () => {
  const cases = [
    [[3], 3],
    [[10, 1, 2], 2],
    [[4, 1, 100, 2], 3],
  ] as const
  for (const [values, middle] of cases) assert.equal(median(values), middle)
})

test('a quantile between two values is as far from each as it says', () => {
  const values = [40, 10, 30, 20, 50]
  assert.deepEqual(
    [0, 0.25, 0.6, 1].map((share) => quantile(values, share)),
    [10, 20, 34, 50],
  )
})

test('measurements are run in turn, and each number they give has its median', async () => {
  const order: string[] = []
  let run = 0
  const medians = await alternate(3, [
    async () => {
      order.push('floor')
      return { floor: [5, 1, 3][run]! }
    },
    async () => {
      order.push('ours')
      run += 1
      return { ours: run * 10, p99: run }
    },
  ])
  assert.deepEqual(medians, { floor: 3, ours: 20, p99: 2 })
  assert.deepEqual(order, ['floor', 'ours', 'floor', 'ours', 'floor', 'ours'])
})

describe('a target', () => {
  const ratioAtLeast: Target = {
    figure: 'a rate',
    unit: 'records/s',
    bound: { of: 'ratio', is: 'at least' },
    postgres: [0.5, 0.8],
  }
  const ratioAtMost: Target = { ...ratioAtLeast, bound: { of: 'ratio', is: 'at most' }, postgres: [4] }
  const oursAtMost: Target = { ...ratioAtLeast, unit: 'ms', bound: { of: 'ours', is: 'at most' }, postgres: [10, 5] }
  const halfAsGood: Target = { ...ratioAtLeast, lessIsBetter: true }

  test('is met by the ratio or by the figure itself, from above or from below, and at exactly its value', () => {
    const cases = [
      [ratioAtLeast, 100, 49, 'no'],
      [ratioAtLeast, 100, 50, 'must'],
      [ratioAtLeast, 100, 80, 'aim'],
      [ratioAtMost, 10, 40, 'must'],
      [ratioAtMost, 10, 41, 'no'],
      [oursAtMost, 1, 10, 'must'],
      [oursAtMost, 1, 5, 'aim'],
      [oursAtMost, 1, 10.1, 'no'],
      [halfAsGood, 10, 20, 'must'],
      [halfAsGood, 10, 21, 'no'],
    ] as const
    for (const [target, floor, ours, met] of cases)
      assert.equal(figureOf(target, { database: 'postgres', floor, ours, note: '' }).met, met, `${ours} of ${floor}`)
  })

  test('for another database does not count', () => {
    const figure = figureOf(ratioAtLeast, { database: 'embedded', floor: 1, ours: 1, note: '' })
    assert.deepEqual([figure.must, figure.aim, figure.met], [null, null, null])
    assert.equal(verdictOf([figure]), '0 of 0 targets met, 0 with their aim.')
  })

  test('for a figure without a floor is shown beside it with its unit', () => {
    const figure = figureOf(oursAtMost, { database: 'postgres', ours: 12.34, note: 'tried' })
    const [, , row] = tableOf([figure]).split('\n')
    assert.equal(row?.replace(/ +/g, ' '), '| a rate | postgres | | 12.3 ms | | ≤ 10 ms | ≤ 5 ms | no | tried |')
    assert.equal(verdictOf([figure]), '0 of 1 targets met, 0 with their aim. Not met: a rate (postgres).')
  })

  test('asks more of its aim than of its must', () => {
    for (const { figure, bound, ...databases } of Object.values<Target>(TARGETS)) {
      for (const [must, aim] of [databases.postgres, databases.embedded, databases.none].filter(
        (goals) => goals !== undefined,
      )) {
        if (aim !== undefined) assert(bound.is === 'at least' ? aim > must : aim < must, figure)
      }
    }
  })
})

describe('bench/RESULTS.md', () => {
  const document = readFileSync(join(PROJECT, 'bench/RESULTS.md'), 'utf8')

  test('gets a result in place of the last one of its kind, and keeps everything else', () => {
    const once = withResult(document, 'everything', 'the first table')
    const twice = withResult(withResult(once, 'growth', 'of growth'), 'everything', 'the second table')
    assert.match(twice, /the second table/)
    assert.match(twice, /of growth/)
    assert(!twice.includes('the first table'))
    const rest = (text: string) => withResult(withResult(text, 'everything', ''), 'growth', '')
    assert.equal(rest(twice), rest(document))
  })

  test('without its markers is left alone', () => {
    assert.throws(() => withResult('# Results\n', 'growth', 'a table'), /has lost its markers/)
  })
})

test('the README shows the figures of the last complete run', () => {
  const [, everything = ''] = readFileSync(join(PROJECT, 'bench/RESULTS.md'), 'utf8').split('<!-- everything:')
  const lines = everything.split('<!-- end of everything -->')[0]!.split('\n')
  const cells = lines
    .filter((line) => /^\| .* \| (postgres|embedded) /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const figures = cells.map(([, figure = '', database, floor = '', ours = '', , , , , note = '']) => {
    const target = Object.values<Target>(TARGETS).find((one) => one.figure === figure)!
    const measured = floor === '' ? {} : { floor: numberIn(floor) }
    return figureOf(target, { database: database as 'postgres', ...measured, ours: numberIn(ours), note })
  })
  const [, date = '', commit = ''] = lines.map((line) => /^([\d-]+), commit ([\w-]+),/.exec(line)).find(Boolean)!
  const table = speedOf({ date, commit, figures })
  assert.match(table, /^\| predictions a second +\| [\d,]+ +\| [\d,]+ +\| [\d,]+ +\|$/m)
  assert(readFileSync(join(PROJECT, 'README.md'), 'utf8').includes(`\n\n${table}\n\n`), table)
})

/** `12,451 requests/s` */
function numberIn(cell: string): number {
  return Number(/^[\d,.]+/.exec(cell)![0].replaceAll(',', ''))
}

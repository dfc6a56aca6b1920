import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { alternate, figureOf, median, quantile } from '../../bench/figures.ts'
import { GROWN_SERVER } from '../../bench/growth.ts'
import { askedOften, coldPredictionsOf, LOAD_CONNECTIONS, predictionsOf, type Requests } from '../../bench/load.ts'
import { minutesLeft } from '../../bench/progress.ts'
import { speedOf, withResult } from '../../bench/results.ts'
import { tableOf, verdictOf } from '../../bench/table.ts'
import { TARGETS, type Target } from '../../bench/targets.ts'
import { threadsBetween, ticksIn, watchThreads } from '../../bench/threads.ts'
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

test('measurements are run in turn, and all values that they give are kept in the order of the runs', async () => {
  const order: string[] = []
  let run = 0
  const values = await alternate(3, [
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
  assert.deepEqual(values, { floor: [5, 1, 3], ours: [10, 20, 30], p99: [1, 2, 3] })
  assert.deepEqual(order, ['floor', 'ours', 'floor', 'ours', 'floor', 'ours'])
})

describe('a figure of several runs', () => {
  const target: Target = { figure: 'a rate', unit: 'requests/s', bound: { of: 'ratio', is: 'at least' } }
  const runs = { database: 'postgres', floor: [100, 50, 100], ours: [40, 30, 90], note: 'tried' } as const

  test('compares medians, and its spread is that of the ratios of each run', () => {
    const { floor, ours, ratio, spread } = figureOf(target, runs)
    assert.deepEqual([floor, ours, ratio, spread], [100, 40, 0.4, [0.4, 0.9]])
    const inverted = figureOf({ ...target, lessIsBetter: true }, runs)
    assert.deepEqual([inverted.ratio, inverted.spread], [2.5, [100 / 90, 2.5]])
  })

  test('has the spread of its values where there is no floor, and none for a single run', () => {
    const { floor: _, ...withoutFloor } = runs
    assert.deepEqual(figureOf(target, withoutFloor).spread, [30, 90])
    assert.equal(figureOf(target, { ...runs, floor: [100], ours: [40] }).spread, null)
  })

  test('shows the medians of processor time, and nothing where one run lacks it', () => {
    const threads = [
      { each: 50, main: 0.8, helpers: 0.1 },
      { each: 60, main: 0.6, helpers: 0.3 },
      { each: 52, main: 0.7, helpers: 0.2 },
    ]
    const row = tableOf([figureOf(target, { ...runs, threads })]).split('\n')[2]
    assert.equal(
      row?.replace(/ +/g, ' '),
      '| a rate | postgres | 100 requests/s | 40 requests/s | 0.40 | | | | 0.40 to 0.90 | 52 us each; main thread 70 %, helpers of V8 20 % | tried |',
    )
    assert.equal(figureOf(target, { ...runs, threads: [...threads, undefined] }).threads, null)
  })
})

describe('processor time', () => {
  const stat = (id: number, name: string, user: number, system: number) =>
    `${id} (${name}) S 1 7 7 0 -1 4194304 99 0 0 0 ${user} ${system} 0 0 20 0 8 0 1239666 3133440 390`
  const before = [stat(7, 'node-MainThread', 100, 10), stat(8, 'node-V8Worker', 5, 5), stat(9, 'WorkerThread', 0, 0)]
  const after = [
    stat(7, 'node-MainThread', 160, 20),
    stat(8, 'node-V8Worker', 20, 10),
    stat(11, 'node-V8Worker', 0, 0),
    stat(9, 'a (b) c', 8, 2),
  ]

  test('is that of all threads for each thing done, with the shares of the main thread and of the helpers of V8', () => {
    const spent = threadsBetween(ticksIn(before, 7), ticksIn(after, 7), 10_000)
    assert.deepEqual(spent, { each: 100, main: 0.7, helpers: 0.2 })
  })

  test('is counted for a process while something is done, and not without one', async () => {
    const { count, threads } = await watchThreads(process.pid, async () => {
      const endAt = process.cpuUsage().user + 100_000
      while (process.cpuUsage().user < endAt);
      return 1
    })
    assert.equal(count, 1)
    if (process.platform === 'linux') assert(threads!.each >= 50_000 && threads!.main > 0.5, JSON.stringify(threads))
    assert.deepEqual(await watchThreads(undefined, async () => 3), { count: 3, threads: undefined })
  })
})

test('the rest is expected to take as much longer as what is done did, and as long as it usually does until then', () => {
  assert.equal(minutesLeft(0, 20, 0.1), 20)
  assert.equal(minutesLeft(5, 15, 10), 30)
})

test('players asked about once are none of those asked about again and again, and none of them twice', () => {
  for (const players of [128, 2_000, 100_000]) {
    const size = { players, products: 10 }
    const asked = ({ bodies }: Requests) =>
      Array.from({ length: LOAD_CONNECTIONS }, (_, connection) => bodies(connection) as readonly Buffer[])
        .flat()
        .map((body) => (JSON.parse(String(body)) as { data: { user_id: string } }).data.user_id)
    const { requests, each } = coldPredictionsOf(size)
    const [often, once] = [new Set(asked(predictionsOf(size))), asked(requests)]
    assert.deepEqual([often.size, once.length], [askedOften(size), LOAD_CONNECTIONS * each])
    assert.equal(new Set([...often, ...once]).size, often.size + once.length, `${players} players`)
  }
})

test('docs/operating.md advises the settings with which growth is measured', () => {
  const advised = readFileSync(join(PROJECT, 'docs/operating.md'), 'utf8')
  for (const [name, value] of Object.entries(GROWN_SERVER)) assert(advised.includes(`\`${name} = ${value}\``), name)
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
    assert.equal(row?.replace(/ +/g, ' '), '| a rate | postgres | | 12.3 ms | | ≤ 10 ms | ≤ 5 ms | no | | | tried |')
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

test('the README shows orders one in each request beside the baseline, as soon as they are measured', () => {
  const figures = (['postgres', 'embedded'] as const).flatMap((database) => [
    figureOf(TARGETS.orders, { database, floor: 30_000, ours: 12_000, note: '' }),
    figureOf(TARGETS.singleOrders, { database, floor: 3_500, ours: 900, note: '' }),
  ])
  const rows = (shown: typeof figures) =>
    speedOf({ date: '2026-11-27', commit: 'abc', figures: shown })
      .split('\n')
      .slice(2, -2)
      .map((row) => row.replace(/ +/g, ' '))
  const bulk = '| orders per second, 100 per request | 12,000 | 12,000 | |'
  assert.deepEqual(rows(figures), [bulk, '| orders per second, 1 per request | 900 | 900 | 3,500 |'])
  assert.deepEqual(rows(figures.filter(({ figure }) => figure === TARGETS.orders.figure)), [bulk])
})

test('the README shows the figures of the last complete run', () => {
  const [, everything = ''] = readFileSync(join(PROJECT, 'bench/RESULTS.md'), 'utf8').split('<!-- everything:')
  const lines = everything.split('<!-- end of everything -->')[0]!.split('\n')
  const cells = lines
    .filter((line) => /^\| .* \| (postgres|embedded) /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const figures = cells.map(([, figure = '', database, floor = '', ours = '']) => {
    const target = Object.values<Target>(TARGETS).find((one) => one.figure === figure)!
    const measured = floor === '' ? {} : { floor: numberIn(floor) }
    return figureOf(target, { database: database as 'postgres', ...measured, ours: numberIn(ours), note: '' })
  })
  const [, date = '', commit = ''] = lines.map((line) => /^([\d-]+), commit ([\w-]+),/.exec(line)).find(Boolean)!
  const table = speedOf({ date, commit, figures })
  assert.match(table, /^\| predictions per second +\| [\d,]+ +\| [\d,]+ +\| [\d,]+ +\|$/m)
  assert(readFileSync(join(PROJECT, 'README.md'), 'utf8').includes(`\n\n${table}\n\n`), table)
})

/** `12,451 requests/s` */
function numberIn(cell: string): number {
  return Number(/^[\d,.]+/.exec(cell)![0].replaceAll(',', ''))
}

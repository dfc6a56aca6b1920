/*
 * Programs with one planted flaw each, the same programs mended, and the programs that the project ships.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readCasesText } from '../../src/engine/ingest/cases/read-cases.ts'
import { writeCasesText } from '../../src/engine/ingest/cases/write-cases.ts'
import { readProgramText } from '../../src/engine/ingest/program-text.ts'
import type { SentOrder } from '../../src/engine/points/model.ts'
import type { Program } from '../../src/engine/points/program-model.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { tryCases } from '../../src/engine/whatif/cases.ts'
import {
  casesOf,
  type Finding,
  findCounterexample,
  PROBE_KINDS,
  PROBE_RUNS,
  type ProbeKind,
} from '../../src/engine/whatif/probe/index.ts'
import { remarksOn } from '../../src/engine/whatif/probe/remarks.ts'
import { choicesIn, earnAlike, isLevelHeld, replayAfter, scenarioOf } from '../../src/engine/whatif/probe/scenario.ts'
import { searchSpaceOf } from '../../src/engine/whatif/probe/search-space.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'

const HERE = import.meta.dirname
const SEEDS = [1, 2, 3]
const fileOf = (folder: string, kind: ProbeKind) => join(HERE, folder, `${kind}.yaml`)
/** Enough to catch a false finding on a sound program; finding a flaw may take the usual number of runs. */
const SOUND_RUNS = 1_000
const findAll = (program: Program, seed: number, runs = PROBE_RUNS) =>
  PROBE_KINDS.flatMap((kind) => findCounterexample(kind, program, seed, runs) ?? [])

function readText(text: string): Program {
  const read = readProgramText(text)
  assert('program' in read, 'the program has faults')
  return read.program
}
const readFile = (path: string) => readText(readFileSync(path, 'utf8'))

function replayed(program: Program, { world, ...finding }: Finding): boolean[] {
  const read = readCasesText(writeCasesText({ ...world, cases: casesOf({ world, ...finding }) }, ['Head.']), program)
  assert('cases' in read, 'the replay has faults')
  return tryCases(program, read.cases).map(({ isAsExpected }) => isAsExpected)
}

describe('a planted flaw', () => {
  for (const kind of PROBE_KINDS) {
    const flawed = readFile(fileOf('flawed', kind))
    const mended = readFile(fileOf('mended', kind))

    test(`${kind} is found with any seed, and its replay passes only while the flaw is there`, () => {
      for (const seed of SEEDS) {
        const finding = findCounterexample(kind, flawed, seed)
        assert(finding !== undefined, `seed ${seed}`)
        assert(replayed(flawed, finding).every(Boolean), `seed ${seed}`)
        assert(replayed(mended, finding).includes(false), `seed ${seed}: nothing was mended`)
      }
    })

    test(`${kind} is the only finding, and there is none once it is mended`, () => {
      const others = PROBE_KINDS.filter((one) => one !== kind)
      for (const other of others) assert.equal(findCounterexample(other, flawed, 1, SOUND_RUNS), undefined, other)
      assert.deepEqual(findAll(mended, 1, SOUND_RUNS), [])
    })
  }
})

test('a flaw that exists only on certain days or hours is found', () => {
  const withGift = (when: string) =>
    readText(`${STARTER_PROGRAM}  - { name: gift, ${when}, fixed: { points: 5 } }\ntime-zone: Pacific/Kiritimati\n`)
  const open = [
    'during: { from: 2026-11-27, until: 2026-11-28 }',
    'during: { days: [fri], hours: "23:00-23:05" }',
    'when: order.date == "2026-11-28"',
    'when: player.is_birthday',
    'when: player.is_birth_month',
  ]
  for (const when of open) assert(findCounterexample('for-nothing', withGift(when), 1) !== undefined, when)
  const paid = 'during: { days: [fri] }, when: order.net >= 1000'
  assert.equal(findCounterexample('for-nothing', withGift(paid), 1), undefined)
})

test('the probe finds nothing in the starter program or the example programs', () => {
  const programs = globSync('examples/programs/*.yaml', { cwd: PROJECT }).filter(
    (path) => !path.endsWith('.cases.yaml'),
  )
  assert(programs.length >= 5)
  assert.deepEqual(findAll(readText(STARTER_PROGRAM), 5), [])
  for (const path of programs) assert.deepEqual(findAll(readFile(join(PROJECT, path)), 5), [], path)
})

test('equal orders at the same level earn the same, unless a condition reads what differs between them', () => {
  const paths = globSync(['examples/programs/*.yaml', 'test/probe/*/*.yaml'], { cwd: PROJECT })
  for (const path of paths.filter((one) => !one.endsWith('.cases.yaml'))) {
    const space = searchSpaceOf(readFile(join(PROJECT, path)))
    if (!earnAlike(space)) continue
    const property = fc.property(choicesIn(space), (choices) => {
      const scenario = scenarioOf(choices, space)
      const orders = ['a', 'b', 'c'].map((id): SentOrder => ({ ...scenario.order, id }))
      const back = orders.map((order): SentOrder => ({ ...order, status: 'returned' }))
      const replay = replayAfter(space, scenario)
      const steps = replay(orders) ?? []
      const earned = new Set(steps.map(({ prediction }) => prediction.points))
      assert(earned.size <= 1 || !isLevelHeld(steps), path)
      // The searches also rely on this: orders that are taken back earn nothing, and placed again what they earned at first.
      const again = replay(orders.flatMap((order, index) => [order, back[index]!, order])) ?? []
      const points = again.map(({ prediction }) => prediction.points)
      assert(
        points.every((one, index) => one === (index % 3 === 1 ? 0n : points[index - (index % 3)])),
        path,
      )
    })
    fc.assert(property, { numRuns: 50 })
  }
})

test('plain thresholds, ceilings and rounding are remarks, not findings', () => {
  const notes = remarksOn(readFile(join(PROJECT, 'examples/programs/tiers.yaml')))
  assert.deepEqual(notes, [
    'big-basket counts for each order: one of 2000 earns 250 points, two of 1000 earn 300.',
    'ceiling counts for each order: one of 9998 earns 500 points, two of 4999 earn 1000.',
    'The referral gives 150 points for each new account with an order, however small: 5 of them bring the referrer to Silver.',
  ])
  const rounded = readText(STARTER_PROGRAM.replace('rounding: floor', 'rounding: half-up'))
  assert.deepEqual(findAll(rounded, 1), [])
  const upwards = readText(STARTER_PROGRAM.replace('rounding: floor', 'rounding: ceil'))
  assert.deepEqual(
    findAll(upwards, 1).map(({ kind }) => kind),
    ['splitting'],
  )
})

test('remarks say how much can be spent before goods may be returned, and how points can outlive their expiry', () => {
  const wallet = (change: (text: string) => string) =>
    remarksOn(readText(change(readFileSync(join(PROJECT, 'examples/programs/wallet.yaml'), 'utf8'))))
  const kept =
    'Points can be kept from expiring: if an order paid with them is cancelled after their expiry, they are valid again for the duration of redeem.given-back, every time.'
  assert.deepEqual(
    wallet((text) => text),
    [kept],
  )
  assert.deepEqual(
    wallet((text) => text.replace(/ {2}pending:.*\n/, '').replace('given-back: P30D', 'overdraft: 500')),
    [
      'Points can be spent at once: an order of 10 earns 100 points, which pay 1.00, before its goods may be returned. After a return, points already spent are owed until later points cover them; points.pending delays spending.',
      'A new account can spend 500 points more than its balance, and never come back (redeem.overdraft).',
    ],
  )
  assert.deepEqual(
    wallet((text) => text.replace(/expire: .*\n/, 'expire: { inactive: P12M }\n').replace(/ {2}given-back.*\n/, '')),
    ['A returned order has extended the expiry of all points like any other (points.expire.inactive).'],
  )
})

test('paying for an order with points and cancelling it keeps them from expiring, as the remark says', () => {
  const program = readFile(join(PROJECT, 'examples/programs/wallet.yaml'))
  const order = 'total_amount: "20.00", points_redeemed: 300'
  const cases = `starts_at: 2026-05-10T12:00:00Z
cases:
  - name: 300 points that expire on 1 June 2027
    orders:
      - { total_amount: "30.00" }
      - { order_id: a, ${order}, wait: P386D, expect: { available: 0 } }
      - { order_id: a, status: cancelled, wait: P2D, expect: { available: 300 } }
      - { order_id: b, ${order}, wait: P29D, expect: { available: 0 } }
      - { order_id: b, status: cancelled, wait: P2D, expect: { available: 300 } }
`
  const read = readCasesText(cases, program)
  assert('cases' in read)
  assert.deepEqual(
    tryCases(program, read.cases).flatMap(({ steps }) => steps.flatMap(({ mismatches }) => mismatches)),
    [],
  )
})

test('a level that multiplies by 10 is a reason to return goods, one that multiplies by 1.5 is not', () => {
  const withGold = (by: string) =>
    readText(
      `${STARTER_PROGRAM}  - { name: gold, when: 'player.level == "Gold"', multiply: { by: "${by}", rules: [base] } }\n`,
    )
  assert.equal(findCounterexample('returning', withGold('1.5'), 1), undefined)
  assert(findCounterexample('returning', withGold('10'), 1) !== undefined)
})

test('the same seed gives the same output, byte for byte, and a replay that the next run may overwrite', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'shop.yaml')
  writeFileSync(file, readFileSync(fileOf('flawed', 'for-nothing')))
  const probe = (...options: string[]) =>
    runCommand(['program', 'probe', 'shop.yaml', '--runs', '200', ...options], {}, { cwd: directory })
  const first = await probe('--seed', '12')
  assert.equal(first.code, 1)
  assert.match(first.stdout, /^shop\.yaml: seed 12\n\nFOUND {2}for-nothing: A free order earns 2 points\.\n/)
  assert.match(
    first.stdout,
    /\nnone {3}splitting, returning, spending-more, circle, without-bound, perpetual, loop, gift\n/,
  )
  assert.equal(first.stderr, 'laurel: shop.yaml: 1 finding\n')
  const replay = join(directory, 'shop.probe/for-nothing.cases.yaml')
  const written = readFileSync(replay, 'utf8')
  assert.deepEqual(await probe('--seed', '12'), first)
  assert.equal(readFileSync(replay, 'utf8'), written)
  const checked = await runCommand(['program', 'check', file, '--cases', replay], {})
  assert.equal(checked.code, 0)
  assert.match(checked.stdout, /all as expected\n$/)

  const json = await probe('--seed', '12', '--json', '--out', 'elsewhere')
  const { seed, findings } = JSON.parse(json.stdout)
  assert.deepEqual([seed, findings.length, findings[0].replay], [12, 1, join('elsewhere', 'for-nothing.cases.yaml')])

  writeFileSync(replay, 'cases: mine\n')
  const refused = await probe('--seed', '12')
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  assert.match(refused.stderr, /is not a file of program probe/)
  assert.equal(readFileSync(replay, 'utf8'), 'cases: mine\n')
  assert.deepEqual((await probe('--seed', '1.5')).code, 2)
  assert.match((await probe('--runs', '0')).stderr, /--runs: expected an integer between 1 and 1000000, got "0"/)
})

test('without findings nothing is written, and the random seed is printed', async (t) => {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'shop.yaml'), STARTER_PROGRAM)
  const { code, stdout, stderr } = await runCommand(
    ['program', 'probe', 'shop.yaml', '--runs', '200'],
    {},
    { cwd: directory },
  )
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^shop\.yaml: seed \d+\n\nnone {3}splitting, /)
  assert(!existsSync(join(directory, 'shop.probe')))
})

/*
 * `npm run bench` and `npm run bench:pairs` as processes: their results are printed and written, and unknown names are refused. Speed is not tested.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { PROJECT } from '../support/docs-blocks.ts'
import { temporaryDirectory } from '../support/service-process.ts'

const run = promisify(execFile)
const bench = (...args: string[]) => run(process.execPath, [join(PROJECT, 'bench/main.ts'), ...args])
const pairs = (...args: string[]) => run(process.execPath, [join(PROJECT, 'bench/pairs.ts'), ...args])

describe('npm run bench', () => {
  test('measures each named figure beside its floor, prints one table, writes JSON, and reports progress on stderr', async (t) => {
    const file = join(temporaryDirectory(t), 'figures.json')
    const size = ['--runs', '1', '--records', '1000', '--database', 'postgres']
    const { stdout, stderr } = await bench('products', ...size, '--json', file)

    assert.match(stdout, /^\d{4}-\d\d-\d\d, commit \S+, \d+ cores .*, medians of 1 alternating runs, [\d.]+ minutes$/m)
    const table = stdout.split('\n').filter((line) => line.startsWith('|'))
    assert.deepEqual(cellsOf(table[0]!).slice(0, 8), [
      'figure',
      'database',
      'floor',
      'ours',
      'ratio',
      'must',
      'aim',
      'met',
    ])
    assert.equal(table.length, 2 + 2)
    const [figure, database, floor, ours, ratio, must, aim, met] = cellsOf(table[2]!)
    assert.deepEqual([figure, database, must, aim], ['bulk upsert of new products', 'postgres', '≥ 0.5', '≥ 0.8'])
    assert.match(`${floor} ${ours}`, /^[\d,]+ records\/s [\d,]+ records\/s$/)
    assert.match(ratio!, /^\d+\.\d\d$/)
    assert.match(met!, /^(no|yes|aim)$/)
    assert.match(stdout, /^\d of 2 targets met/m)

    const written = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual([written.runs, written.records, written.figures.length], [1, 1000, 2])
    const [first] = written.figures
    assert.equal(first.ratio, first.ours / first.floor)
    assert.equal(first.met !== 'no', first.ratio >= first.must)

    assert.match(stderr, /^ *\d+ s {2}products, postgres; about \d+ min left$/m)
    assert(!`${stdout}${stderr}`.includes('\x1b'), 'there are colours without a terminal')
  })

  const refused = [
    [['prediction'], /'prediction' is invalid for argument 'measurements'. Allowed choices are engine, players, /],
    [['--runs', 'few'], /'few' is invalid.* It must be an integer greater than 0\./],
    [['orders', '--write'], /--write takes a run of everything, or of growth alone, on both databases/],
  ] as const
  for (const [args, sentence] of refused)
    test(`refuses ${args.join(' ')} with a sentence`, () => assertRefused(bench(...args), sentence))
})

describe('npm run bench:pairs', () => {
  test('compares two checkouts by processor time, prints one table, writes JSON, and reports each pair on stderr', async (t) => {
    const file = join(temporaryDirectory(t), 'pairs.json')
    const tiny = [
      '--pairs',
      '1',
      '--seconds',
      '0.01',
      '--records',
      '100',
      '--database',
      'embedded',
      '--rows',
      'predictions',
    ]
    const { stdout, stderr } = await pairs('--against', PROJECT, ...tiny, '--json', file)

    assert.match(stdout, /^\d{4}-\d\d-\d\d, commit (\S+) against \1, \d+ cores .*, pairs of fresh starts: 1$/m)
    const [head, , ...body] = stdout.split('\n').filter((line) => line.startsWith('|'))
    assert.deepEqual(cellsOf(head!).slice(0, 6), ['figure', 'database', 'this', 'the other', 'ratio', 'of pairs'])
    assert.equal(body.length, 1)
    const [figure, database, here, there, ratio, ofPairs, quartiles, extremes] = cellsOf(body[0]!)
    assert.deepEqual([figure, database], ['predictions', 'embedded'])
    assert.match(`${here} ${there}`, /^[\d,.]+ us [\d,.]+ us$/)
    assert.match(ratio!, /^\d+\.\d\d$/)
    assert.deepEqual([ofPairs, quartiles, extremes], [ratio, `${ratio} to ${ratio}`, `${ratio} to ${ratio}`])

    const written = JSON.parse(readFileSync(file, 'utf8'))
    const [{ count, pairs: measured }] = written.measured
    assert.deepEqual([written.pairs, count, measured.length], [1, 512, 1])
    assert(measured[0].here > 0 && measured[0].there > 0)

    assert.match(stderr, /^ *\d+ s {2}predictions, embedded, pair 1 of 1: [\d,.]+ us, the other [\d,.]+ us, ratio /m)
  })

  const refused = [
    [[], /required option '--against <directory>' not specified/],
    [['--against', 'nowhere'], /'nowhere' is invalid\. There is no Laurel: src\/cli\/main\.ts is missing\./],
    [['--against', PROJECT, '--rows', 'orders,order'], /'orders,order' is invalid\. Rows are predictions, explained, /],
    [['--against', PROJECT, '--seconds', '0'], /'0' is invalid\. It must be a number greater than 0\./],
  ] as const
  for (const [args, sentence] of refused)
    test(`refuses ${args.slice(-2).join(' ') || 'no arguments'} with a sentence`, () =>
      assertRefused(pairs(...args), sentence))
})

async function assertRefused(running: ReturnType<typeof run>, sentence: RegExp): Promise<void> {
  await assert.rejects(running, ({ code, stdout, stderr }) => {
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, sentence)
    return true
  })
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

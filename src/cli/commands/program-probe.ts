import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { OperatorError } from '../../errors.ts'
import { writeCasesText, writtenOrder } from '../../ingest/cases/write-cases.ts'
import { oneLine } from '../../operations/reports/text.ts'
import { amountText } from '../../points/arithmetic.ts'
import { explanationOf } from '../../points/explanation.ts'
import { casesOf, type Finding, findCounterexample, PROBE_KINDS } from '../../whatif/probe/index.ts'
import { remarksOn } from '../../whatif/probe/remarks.ts'
import type { ReplayStep } from '../../whatif/replay.ts'
import { CommandFailed } from '../client.ts'
import { readChecked, writeFile } from './program.ts'

const OURS = 'Written by laurel program probe, and overwritten by it:'
const SEED_MAX = 2 ** 31 - 1

export type ProbeWish = Readonly<{ seed?: string | undefined; out?: string | undefined; json?: true | undefined }>

/**
 * `laurel program probe`: looks for orders that earn what no shop means to give, and writes for each finding a file of cases that replays
 * it. Needs no service and no database. Errors: Refused with findings, or with every fault of the program; OperatorError where there is no
 * file, for a seed that is none, and where a file that is not ours stands in the way.
 */
export function probeProgram(file: string, { seed: wished, out, json }: ProbeWish): void {
  const seed = wished === undefined ? Math.floor(Math.random() * SEED_MAX) : readSeed(wished)
  const { program } = readChecked(file)
  const findings = PROBE_KINDS.flatMap((kind, index) => {
    tellProgress(`${index} of ${PROBE_KINDS.length} kinds done, looking for ${kind}`)
    return findCounterexample(kind, program, seed) ?? []
  })
  tellProgress('')
  const notes = remarksOn(program)
  const directory = out ?? `${file.replace(/\.(ya?ml|json)$/, '')}.probe`
  const found = findings.map((finding) => ({ finding, replay: join(directory, `${finding.kind}.cases.yaml`) }))
  for (const { replay } of found) assertOurs(replay)
  for (const { finding, replay } of found) writeFile(replay, replayText(finding, file, seed))
  process.stdout.write(json ? jsonOf(file, seed, found, notes) : textOf(file, seed, found, notes))
  if (found.length > 0)
    throw new CommandFailed(400, `${file}: ${found.length === 1 ? '1 finding' : `${found.length} findings`}`)
}

type Found = readonly Readonly<{ finding: Finding; replay: string }>[]

function readSeed(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > SEED_MAX)
    throw new OperatorError(`--seed: expected a whole number from 0 to ${SEED_MAX}, got "${text}"`)
  return Number(text)
}

/** One line that is written over, on a terminal only. */
function tellProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

function assertOurs(path: string): void {
  if (existsSync(path) && !readFileSync(path, 'utf8').startsWith(`# ${OURS}`))
    throw new OperatorError(`${path}: is not a file of program probe; move it, or name another directory with --out`)
}

function replayText(finding: Finding, file: string, seed: number): string {
  return writeCasesText({ ...finding.world, cases: casesOf(finding) }, [
    `${OURS} what ${oneLine(file)} gives with this hole in it (seed ${seed}).`,
    oneLine(finding.title),
    `A sound program: ${finding.promise}`,
  ])
}

function jsonOf(file: string, seed: number, found: Found, notes: readonly string[]): string {
  const findings = found.map(({ finding: { kind, promise, title, because, histories }, replay }) => ({
    ...{ kind, promise, title, because, replay },
    histories: histories.map(({ name, steps }) => ({
      name,
      orders: steps.map((step) => ({
        ...writtenOrder(step.order),
        ...('refused' in step
          ? { refused: step.refused }
          : {
              points: Number(step.prediction.points),
              balance: Number(step.balance),
              explanation: explanationOf(step.prediction),
            }),
      })),
    })),
  }))
  return `${JSON.stringify({ file, seed, findings, worth_knowing: notes }, null, 2)}\n`
}

function textOf(file: string, seed: number, found: Found, notes: readonly string[]): string {
  const kinds = PROBE_KINDS.map((kind) => found.find(({ finding }) => finding.kind === kind) ?? kind)
  const none = kinds.filter((one) => typeof one === 'string')
  const lines = [
    `${oneLine(file)}: seed ${seed}`,
    ...kinds.flatMap((one) =>
      typeof one === 'string'
        ? []
        : [
            '',
            `${coloured('red', 'FOUND')}  ${one.finding.kind}: ${oneLine(one.finding.title)}`,
            ...linesFor(one, file),
          ],
    ),
    '',
    ...(none.length === 0 ? [] : [`${coloured('green', 'none')}   ${none.join(', ')}`]),
    ...(notes.length === 0 ? [] : ['', 'worth knowing', ...notes.map((note) => oneLine(`  ${note}`))]),
  ]
  return `${lines.join('\n')}\n`
}

function linesFor({ finding, replay }: Found[number], file: string): string[] {
  const { promise, because, world, histories } = finding
  const players = world.players
    .filter(({ points }) => points > 0n)
    .map(({ userId, points }) => `${userId} has ${points} points before`)
  return [
    ...because.map((line) => `  ${line}`),
    ...players.map((line) => `  ${line}`),
    ...histories.flatMap(({ name, steps }) => [`    ${name}`, ...gathered(steps.map(lineForStep))]),
    `  a sound program: ${promise}`,
    `  replay it: laurel program check ${file} --cases ${replay}`,
  ].map(oneLine)
}

/** Equal lines that follow each other as one. */
function gathered(lines: readonly string[]): string[] {
  const runs: { line: string; times: number }[] = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.line === line) last.times += 1
    else runs.push({ line, times: 1 })
  }
  return runs.map(({ line, times }) => `      ${times === 1 ? '' : `${times} times: `}${line}`)
}

/** `2 x TEA-1 for 90, less 10; 80 to pay: 18 points (base 8, tea 10)` */
function lineForStep(step: ReplayStep): string {
  const { lines, total, discount, status, subscriptPoints, referralCode, userId, at } = step.order
  const goods = lines.map(
    ({ sku, qty, amount = 0n }) =>
      `${qty === 10_000n ? '' : `${amountText(qty)} x `}${sku ?? 'goods'} ${amount === 0n ? 'for nothing' : `for ${amountText(amount)}`}`,
  )
  const paid = total > discount ? total - discount : 0n
  const facts = [
    goods.join(' and '),
    ...(discount > 0n ? [`${amountText(discount)} off`] : []),
    ...(subscriptPoints ? ['subscript_points'] : []),
    ...(referralCode === '' ? [] : [`code ${referralCode}`]),
    ...(at === undefined ? [] : [`at ${at}`]),
  ]
  const what = `${userId}: ${facts.join(', ')}; ${amountText(paid)} to pay${status === 'placed' ? '' : `, ${status}`}`
  if ('refused' in step) return `${what}: refused (${step.refused})`
  const { earned, rounding, level } = explanationOf(step.prediction)
  const rules = [
    ...earned.map(({ rule, points }) => `${rule} ${points}`),
    ...(rounding === '0' ? [] : [`rounding ${rounding}`]),
  ]
  const reached = level.before === level.after ? level.after : `${level.before} to ${level.after}`
  return `${what}: ${step.prediction.points} points${rules.length === 0 ? '' : ` (${rules.join(', ')})`}, ${reached}`
}

/** In colour where standard output is a terminal that shows colours. */
function coloured(colour: 'green' | 'red', word: string): string {
  return styleText(colour, word, { stream: process.stdout })
}

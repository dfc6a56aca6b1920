import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeCasesText } from '../../../engine/ingest/cases/write-cases.ts'
import {
  casesOf,
  type Finding,
  findCounterexample,
  PROBE_KINDS,
  PROBE_RUNS,
} from '../../../engine/whatif/probe/index.ts'
import { remarksOn } from '../../../engine/whatif/probe/remarks.ts'
import { OperatorError } from '../../../errors.ts'
import { probeDocumentOf } from '../../../resources/program-checks/probe-document.ts'
import { count, escapeControls } from '../../../text.ts'
import { CommandFailed } from '../../failure.ts'
import { readNumber } from '../../input/number-option.ts'
import { readProgramFile } from '../../input/program-file.ts'
import { writeTextFile } from '../../input/text-file.ts'
import { printColoured, printJson } from '../../output/print.ts'
import { probeText } from '../../output/probe-text.ts'
import { showStep } from '../../output/progress.ts'

const OURS = 'Written by laurel program probe, and overwritten by it:'
const SEED_MAX = 2 ** 31 - 1
const RUNS_MAX = 1_000_000

export type ProgramProbeOptions = Readonly<{ seed?: string; runs?: string; out?: string; json?: true }>

/**
 * `laurel program probe`: looks for orders that earn what no shop means to give, and for each finding writes a file of cases that replays
 * it. Needs no service and no database. Errors: CommandFailed if there are findings, or with every issue of the program; OperatorError if
 * there is no such file, for an invalid seed or number of runs, and if a file that is not ours is in the way.
 */
export function programProbe(
  file: string,
  { seed: seedOption, runs: runsOption, out, json }: ProgramProbeOptions,
): void {
  const seed =
    seedOption === undefined ? Math.floor(Math.random() * SEED_MAX) : readNumber('--seed', seedOption, 0, SEED_MAX)
  const runs = runsOption === undefined ? PROBE_RUNS : readNumber('--runs', runsOption, 1, RUNS_MAX)
  const { program } = readProgramFile(file)
  const findings = PROBE_KINDS.flatMap((kind, index) => {
    showStep(`${index} of ${PROBE_KINDS.length} kinds done, looking for ${kind}`)
    return findCounterexample(kind, program, seed, runs) ?? []
  })
  showStep('')
  const notes = remarksOn(program)
  const directory = out ?? `${file.replace(/\.(ya?ml|json)$/, '')}.probe`
  const replayed = findings.map((finding) => ({ finding, replay: join(directory, `${finding.kind}.cases.yaml`) }))
  for (const { replay } of replayed) assertOurs(replay)
  for (const { finding, replay } of replayed) writeTextFile(replay, replayText(finding, file, seed))
  if (json) printJson(probeDocumentOf(file, seed, replayed, notes))
  else printColoured(probeText(file, seed, replayed, notes))
  if (replayed.length > 0) throw new CommandFailed(`${file}: ${count(replayed.length, 'finding')}`)
}

function assertOurs(path: string): void {
  if (existsSync(path) && !readFileSync(path, 'utf8').startsWith(`# ${OURS}`))
    throw new OperatorError(`${path}: is not a file of program probe; move it, or name another directory with --out`)
}

function replayText(finding: Finding, file: string, seed: number): string {
  return writeCasesText({ ...finding.world, cases: casesOf(finding) }, [
    `${OURS} what ${escapeControls(file)} gives with this loophole (seed ${seed}).`,
    escapeControls(finding.title),
    `A sound program: ${finding.promise}`,
  ])
}

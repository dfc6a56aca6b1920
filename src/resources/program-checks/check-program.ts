import { readCasesText } from '../../engine/ingest/cases/read-cases.ts'
import { programSource, readProgramText } from '../../engine/ingest/program-text.ts'
import { optional, type RecordWords, readRecord, required } from '../../engine/ingest/record.ts'
import { excessIn, type FileIssue } from '../../engine/ingest/yaml-text.ts'
import { type Explanation, explanationOf } from '../../engine/points/explanation.ts'
import { messageFor } from '../../engine/points/message.ts'
import type { Program } from '../../engine/points/program-model.ts'
import {
  type CaseResult,
  type CaseStepResult,
  listUntried,
  type Mismatch,
  tryCases,
} from '../../engine/whatif/cases.ts'
import { warnOfGross } from '../../engine/whatif/gross-rules.ts'
import { InvalidInput } from '../../errors.ts'
import { describeStepRefusal, nameOfStep, redemptionText } from './step-text.ts'

/** For thousands of orders there is the command line. */
const ORDERS_MAX = 500

export const checkFields = { source: required('source', programSource), cases: optional('cases', programSource, '') }

export const CHECK_WORDS: RecordWords<typeof checkFields> = {
  title: 'ProgramToCheck',
  description: 'A program, with or without errors',
  fields: { source: 'the text of the program', cases: 'the text of its test orders' },
}

/** A step of a test case: where it differed from what was expected, and what its order earned or why it was refused. */
export type CheckedStep = ReturnType<typeof nameOfStep> &
  Readonly<{ mismatches: readonly Mismatch[] }> &
  (
    | Readonly<{ refused: string }>
    | Readonly<{ message: string; points: bigint; explanation: Explanation }>
    | Readonly<{ message: string }>
  )

export type CheckedCase = Readonly<{ name: string; isAsExpected: boolean; steps: readonly CheckedStep[] }>

/** The issues of a program and of its test cases, and the results of these. If the program cannot be read, no case is run. */
export type ProgramCheck = Readonly<{
  name: string | undefined
  issues: readonly FileIssue[]
  caseIssues: readonly FileIssue[]
  cases: readonly CheckedCase[]
  /** Rules that gave no points in any case. */
  untried: readonly string[]
  warnings: readonly string[]
}>

/** Checks a program as publishing would, and runs its test cases. `data` is unvalidated input. Errors: InvalidInput. */
export function checkProgram(data: unknown): ProgramCheck {
  const { source, cases } = readRecord(checkFields, data, 'data')
  const read = readProgramText(source)
  if ('issues' in read)
    return { name: undefined, issues: read.issues, caseIssues: [], cases: [], untried: [], warnings: [] }
  const { program } = read
  const warnings = warnOfGross(program, [])
  const nothing = { name: program.name, issues: [], caseIssues: [], cases: [], untried: [], warnings }
  return cases === '' ? nothing : { ...nothing, ...tryText(program, cases) }
}

function tryText(program: Program, text: string): Pick<ProgramCheck, 'caseIssues'> & Partial<ProgramCheck> {
  const excess = excessIn(text)
  if (excess !== undefined) return { caseIssues: [excess] }
  const read = readCasesText(text, program)
  if ('issues' in read) return { caseIssues: read.issues }
  const count = read.cases.cases.reduce((sum, { steps }) => sum + steps.length, 0)
  if (count > ORDERS_MAX)
    throw new InvalidInput(
      'data.cases',
      `expected at most ${ORDERS_MAX} orders, got ${count}: run more with laurel program check --cases`,
    )
  const results = tryCases(program, read.cases)
  return {
    caseIssues: [],
    cases: results.map((result) => checkedCase(result, program)),
    untried: listUntried(program, results),
    warnings: warnOfGross(program, read.cases.cases),
  }
}

function checkedCase({ name, isAsExpected, steps }: CaseResult, program: Program): CheckedCase {
  return { name, isAsExpected, steps: steps.map((step) => checkedStep(step, program)) }
}

function checkedStep(step: CaseStepResult, { messages }: Program): CheckedStep {
  const common = { ...nameOfStep(step), mismatches: step.mismatches }
  if ('refused' in step) return { ...common, refused: describeStepRefusal(step) }
  if ('redemption' in step) return { ...common, message: redemptionText(step.redemption) }
  const { prediction } = step
  const { points } = prediction
  return { ...common, message: messageFor(prediction, messages), points, explanation: explanationOf(prediction) }
}

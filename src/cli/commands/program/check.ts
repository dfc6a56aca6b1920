import { readCasesText } from '../../../engine/ingest/cases/read-cases.ts'
import { explanationOf } from '../../../engine/points/explanation.ts'
import { type CaseResult, type CaseStepResult, listUntried, tryCases } from '../../../engine/whatif/cases.ts'
import { warnOfGross } from '../../../engine/whatif/gross-rules.ts'
import { describeStepRefusal, nameOfStep } from '../../../resources/program-checks/step-text.ts'
import { count, escapeControls } from '../../../text.ts'
import { CommandFailed } from '../../failure.ts'
import { issuesText, readProgramFile } from '../../input/program-file.ts'
import { readTextFile } from '../../input/text-file.ts'
import { explanationLines } from '../../output/explanation.ts'
import { coloured, printColoured, printJson, printLine } from '../../output/print.ts'

/**
 * `laurel program check`: every issue of a program file at once, each with its line and path. With `--cases` it also tries the program on
 * test orders, and says for each case whether it came out as expected. Needs no service and no database.
 *
 * Errors: CommandFailed with every issue of the program or of the files of cases, or because a case failed; OperatorError if there is no
 * such file.
 */
export function programCheck(file: string, { cases, json }: { cases: readonly string[]; json?: true }): void {
  const { program } = readProgramFile(file)
  const read = cases.map((name) => ({ name, ...readCasesText(readTextFile(name), program) }))
  const faulty = read.flatMap((one) => ('issues' in one ? [issuesText(one.name, one.issues)] : []))
  if (faulty.length > 0) throw new CommandFailed(faulty.join('\n'))
  const tried = read.map((one) => ({ name: one.name, results: 'cases' in one ? tryCases(program, one.cases) : [] }))
  const results = tried.flatMap((one) => one.results)
  const untried = cases.length === 0 ? [] : listUntried(program, results)
  const warnings = warnOfGross(
    program,
    read.flatMap((one) => ('cases' in one ? one.cases.cases : [])),
  )
  if (json) printJson({ file, cases: tried.flatMap(documentOf), untried, warnings })
  else {
    printLine`${file}: no errors`
    for (const warning of warnings) printLine`warning: ${warning}`
  }
  if (cases.length === 0) return

  if (!json) {
    for (const one of tried)
      printColoured(`\n${escapeControls(one.name)}\n${one.results.flatMap(formatCaseResult).join('\n')}\n`)
    printLine``
    if (untried.length > 0) printLine`rules not covered by any case: ${untried.join(', ')}`
  }
  const failed = results.filter(({ isAsExpected }) => !isAsExpected).length
  const all = count(results.length, 'case')
  if (failed > 0) throw new CommandFailed(`${failed} of ${all} failed`)
  if (!json) printLine`${all}, all as expected`
}

/** The cases of one file, for programs: which came out as expected, and what differed. */
function documentOf({ name: file, results }: Readonly<{ name: string; results: readonly CaseResult[] }>) {
  return results.map(({ name, isAsExpected, steps }) => ({
    file,
    name,
    as_expected: isAsExpected,
    orders: steps.map((step) => {
      const { kind, id } = nameOfStep(step)
      return {
        [`${kind}_id`]: id,
        ...('refused' in step ? { refused: describeStepRefusal(step) } : {}),
        ...('refused' in step && step.mismatches.length === 0 ? {} : { mismatches: step.mismatches }),
      }
    }),
  }))
}

function formatCaseResult({ name, isAsExpected, steps }: CaseResult): string[] {
  if (isAsExpected) return [`${coloured('green', 'ok')}      ${escapeControls(name)}`]
  return [`${coloured('red', 'FAILED')}  ${escapeControls(name)}`, ...steps.flatMap(linesOfStep)]
}

/** What differed in a step, and an order's whole explanation; nothing for one that is as expected. */
function linesOfStep(step: CaseStepResult): string[] {
  if (step.isAsExpected) return []
  const { kind, id, userId } = nameOfStep(step)
  const refused = 'refused' in step ? ` is refused: ${describeStepRefusal(step)}` : ''
  return [
    `    ${kind} ${id} of ${userId}${refused}`,
    ...step.mismatches.map(({ what, expected, actual }) => `      ${what}: expected ${expected}, got ${actual}`),
    ...('prediction' in step
      ? ['      because', ...explanationLines(explanationOf(step.prediction)).map((reason) => `        ${reason}`)]
      : []),
  ].map(escapeControls)
}

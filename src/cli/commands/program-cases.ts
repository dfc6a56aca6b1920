import { styleText } from 'node:util'
import { readCasesText } from '../../ingest/cases/read-cases.ts'
import { describeRefusal } from '../../operations/ledger/order-refusals.ts'
import { oneLine } from '../../operations/reports/text.ts'
import { explanationOf } from '../../points/explanation.ts'
import { type CaseOrderResult, type CaseResult, listUntried, tryCases } from '../../whatif/cases.ts'
import { CommandFailed } from '../client.ts'
import { explanationLines } from '../output/explanation.ts'
import { faultsText, readChecked, readFile } from './program.ts'

/**
 * `laurel program check --cases`: tries a program on test orders, and says of each case whether all came as expected. Needs no service and
 * no database. Errors: Refused with every fault of the program, or of the cases files, or because a case failed; OperatorError where there
 * is no file.
 */
export function checkCases(file: string, casesFiles: readonly string[]): void {
  const { program } = readChecked(file)
  const read = casesFiles.map((name) => ({ name, ...readCasesText(readFile(name)) }))
  const faulty = read.flatMap((one) => ('faults' in one ? [faultsText(one.name, one.faults)] : []))
  if (faulty.length > 0) throw new CommandFailed(400, faulty.join('\n'))

  process.stdout.write(`${file}: no faults\n`)
  const outcomes = read.flatMap((one) => {
    const tried = 'cases' in one ? tryCases(program, one.cases) : []
    process.stdout.write(`\n${one.name}\n${tried.flatMap(linesFor).join('\n')}\n`)
    return tried
  })
  process.stdout.write('\n')
  const untried = listUntried(program, outcomes)
  if (untried.length > 0) process.stdout.write(`no case earns points by: ${oneLine(untried.join(', '))}\n`)
  const failed = outcomes.filter(({ isAsExpected }) => !isAsExpected).length
  const all = outcomes.length === 1 ? '1 case' : `${outcomes.length} cases`
  if (failed > 0) throw new CommandFailed(400, `${failed} of ${all} failed`)
  process.stdout.write(`${all}, all as expected\n`)
}

function linesFor({ name, isAsExpected, orders }: CaseResult): string[] {
  if (isAsExpected) return [`${coloured('green', 'ok')}      ${oneLine(name)}`]
  return [`${coloured('red', 'FAILED')}  ${oneLine(name)}`, ...orders.flatMap(linesForOrder)]
}

/** What came otherwise with an order, and its whole explanation; nothing for one that is as expected. */
function linesForOrder(outcome: CaseOrderResult): string[] {
  const { order } = outcome
  const head = `    order ${order.id} of ${order.userId}`
  if ('refused' in outcome) return [oneLine(`${head} is refused: ${describeRefusal(order, outcome.refused).error}`)]
  if (outcome.mismatches.length === 0) return []
  return [
    head,
    ...outcome.mismatches.map(({ what, expected, actual }) => `      ${what}: expected ${expected}, got ${actual}`),
    '      because',
    ...explanationLines(explanationOf(outcome.prediction)).map((reason) => `        ${reason}`),
  ].map(oneLine)
}

/** In colour where standard output is a terminal that shows colours. */
function coloured(colour: 'green' | 'red', word: string): string {
  return styleText(colour, word, { stream: process.stdout })
}

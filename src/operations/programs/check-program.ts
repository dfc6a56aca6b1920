import { InvalidInput } from '../../errors.ts'
import { readCasesText } from '../../ingest/cases/read-cases.ts'
import { programSource, readProgramText } from '../../ingest/program-text.ts'
import { optional, type RecordWords, readRecord, required } from '../../ingest/record.ts'
import { excessIn, type FileFault } from '../../ingest/yaml-text.ts'
import { type Explanation, explanationOf } from '../../points/explanation.ts'
import { messageFor } from '../../points/message.ts'
import type { Program } from '../../points/program-model.ts'
import { type CaseResult, listUntried, type Mismatch, tryCases } from '../../whatif/cases.ts'
import { describeRefusal } from '../ledger/order-refusals.ts'

/** Predictions wait while cases run: thousands of them are for the command line. */
const ORDERS_MAX = 500

export const checkFields = { source: required('source', programSource), cases: optional('cases', programSource, '') }

export const CHECK_WORDS: RecordWords<typeof checkFields> = {
  title: 'ProgramToCheck',
  description: 'A program, with faults or without',
  fields: { source: 'the text of the program', cases: 'the text of test orders to try it on' },
}

/** An order of a case: what came otherwise than expected, and what it earned; or why it is refused. */
export type CheckedOrder = Readonly<{ id: string; userId: string }> &
  (
    | Readonly<{ refused: string }>
    | Readonly<{ mismatches: readonly Mismatch[]; message: string; points: bigint; explanation: Explanation }>
  )

export type CheckedCase = Readonly<{ name: string; isAsExpected: boolean; orders: readonly CheckedOrder[] }>

/** What is wrong with a program and its cases, and what came of these. Without a program that can be read no case is tried. */
export type ProgramCheck = Readonly<{
  name: string | undefined
  faults: readonly FileFault[]
  caseFaults: readonly FileFault[]
  cases: readonly CheckedCase[]
  /** Rules that gave something in none of the cases. */
  untried: readonly string[]
}>

/** Checks a program as publishing would, and tries it on test orders. `data` is as it was sent. Errors: InvalidInput. */
export function checkProgram(data: unknown): ProgramCheck {
  const { source, cases } = readRecord(checkFields, data, 'data')
  const read = readProgramText(source)
  if ('faults' in read) return { name: undefined, faults: read.faults, caseFaults: [], cases: [], untried: [] }
  const { program } = read
  const nothing = { name: program.name, faults: [], caseFaults: [], cases: [], untried: [] }
  return cases === '' ? nothing : { ...nothing, ...tryText(program, cases) }
}

function tryText(program: Program, text: string): Pick<ProgramCheck, 'caseFaults'> & Partial<ProgramCheck> {
  const excess = excessIn(text)
  if (excess !== undefined) return { caseFaults: [excess] }
  const read = readCasesText(text, program)
  if ('faults' in read) return { caseFaults: read.faults }
  const count = read.cases.cases.reduce((sum, { orders }) => sum + orders.length, 0)
  if (count > ORDERS_MAX)
    throw new InvalidInput(
      'data.cases',
      `expected at most ${ORDERS_MAX} orders, got ${count}: try more of them with laurel program check --cases`,
    )
  const results = tryCases(program, read.cases)
  return {
    caseFaults: [],
    cases: results.map((result) => checkedCase(result, program)),
    untried: listUntried(program, results),
  }
}

function checkedCase({ name, isAsExpected, orders }: CaseResult, program: Program): CheckedCase {
  return {
    name,
    isAsExpected,
    orders: orders.map((result) => {
      const { order } = result
      const key = { id: order.id, userId: order.userId }
      if ('refused' in result) return { ...key, refused: describeRefusal(order, result.refused).error }
      const { prediction, mismatches } = result
      return {
        ...key,
        mismatches,
        message: messageFor(prediction, program.messages),
        points: prediction.points,
        explanation: explanationOf(prediction),
      }
    }),
  }
}

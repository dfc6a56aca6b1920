import type { Deps } from '../../deps.ts'
import { stateVersion as wholeNumber } from '../../engine/ingest/fields.ts'
import { ORDER_WORDS, readSimulatedOrder, simulatedOrderFields } from '../../engine/ingest/order.ts'
import { programSource, readValidProgram } from '../../engine/ingest/program-text.ts'
import { type Field, optional, type RecordWords, readRecord, required, schemaOf } from '../../engine/ingest/record.ts'
import type { PredictedBalance } from '../../engine/points/ledger/predicted-balance.ts'
import { messageFor } from '../../engine/points/message.ts'
import type { Prediction } from '../../engine/points/model.ts'
import type { Program, PublishedProgram } from '../../engine/points/program-model.ts'
import { type WithoutLine, withoutEachLine } from '../../engine/points/without-lines.ts'
import { InvalidInput } from '../../errors.ts'
import { type OrderToPreview, previewSent } from '../../ledger/preview-sent.ts'
import { toOrderQuery } from '../../ledger/snapshots.ts'
import { explainBalance } from './predict-order.ts'

const simulatedOrder: Field<unknown> = {
  schema: schemaOf(simulatedOrderFields, {
    ...ORDER_WORDS,
    title: 'SimulatedOrder',
    description: 'An order to simulate. Requires a player and an amount',
  }),
  read: (value) => value,
}

export const simulationFields = {
  order: required('order', simulatedOrder),
  version: optional('under_version', wholeNumber, undefined),
  source: optional('under_source', programSource, undefined),
}

export const SIMULATION_WORDS: RecordWords<typeof simulationFields> = {
  title: 'NewSimulation',
  description: 'An order, and optionally a program to compare with the one in effect',
  fields: {
    order: 'the order; a recorded one is computed with the inputs of its first recording',
    version: 'program version to compare with',
    source: 'program text to compare with, YAML or JSON',
  },
}

/**
 * What an order would earn under a program; `version` is undefined for an unpublished one. `balance` and `without` are present only for the program that
 * applies: `balance` if balances depend on days, `without` as withoutEachLine says.
 */
export type SimulatedColumn = Readonly<{
  version: number | undefined
  message: string
  prediction: Prediction
  balance?: PredictedBalance
  without?: readonly WithoutLine[]
}>

/**
 * Computes what an order would earn under the program that applies to it and, for comparison, under another version or a program given as
 * text. Nothing is stored: a simulation in the console is not a promise to a customer. `data` is unvalidated input.
 *
 * Errors: InvalidInput for an order that cannot be read or would be refused, for an unknown version, and for a faulty program, with its first
 * issue; Unavailable.
 */
export async function simulateOrder(
  deps: Pick<Deps, 'now' | 'findInputs' | 'findHistories' | 'sumWindows' | 'programs'>,
  data: unknown,
  deadlineAt: number,
): Promise<Readonly<{ applied: SimulatedColumn; compared: SimulatedColumn | undefined }>> {
  const { order, version, source } = readRecord(simulationFields, data, 'data')
  if (version !== undefined && source !== undefined)
    throw new InvalidInput('data.under_version', 'under_version and under_source cannot be combined')
  const programs = deps.programs()
  const candidate = resolveCandidate(programs, version, source)
  const now = deps.now()
  const sent = readSimulatedOrder(order, 'data.order', now)
  const snapshot = await deps.findInputs(
    { ...toOrderQuery(sent, programs, now.toISOString()), histories: [] },
    deadlineAt,
  )
  const orderToPreview = { sent, snapshot, programs, at: now.toISOString() }
  const previewed = await previewSent(deps, orderToPreview, 'data.order', deadlineAt)
  const balance = await explainBalance(deps, { ...previewed, asOf: orderToPreview.at }, deadlineAt)
  const without = withoutEachLine(previewed)
  return {
    applied: {
      ...columnOf(previewed.prediction, previewed.published.program, previewed.published.version),
      ...(balance === undefined ? {} : { balance }),
      ...(without === undefined ? {} : { without }),
    },
    compared: candidate && (await compare(deps, orderToPreview, previewed.published, candidate, deadlineAt)),
  }
}

type Candidate = Readonly<{ version: number | undefined; program: Program }>

function resolveCandidate(
  programs: readonly PublishedProgram[],
  version: number | undefined,
  source: string | undefined,
): Candidate | undefined {
  if (source !== undefined) return { version: undefined, program: readValidProgram(source, 'data.under_source') }
  if (version === undefined) return undefined
  const published = programs.find((one) => one.version === version)
  if (published === undefined) throw new InvalidInput('data.under_version', `program version ${version} not found`)
  return published
}

/** The same with the candidate in place of the version that applied: for a recorded order that is its own version, not the current one. */
async function compare(
  deps: Pick<Deps, 'findHistories' | 'sumWindows'>,
  orderToPreview: OrderToPreview,
  applied: PublishedProgram,
  { version, program }: Candidate,
  deadlineAt: number,
): Promise<SimulatedColumn> {
  const programs = orderToPreview.programs.map((one) => (one.version === applied.version ? { ...one, program } : one))
  const { prediction } = await previewSent(deps, { ...orderToPreview, programs }, 'data.order', deadlineAt)
  return columnOf({ ...prediction, program: { version: version ?? 0, name: program.name } }, program, version)
}

function columnOf(prediction: Prediction, program: Program, version: number | undefined): SimulatedColumn {
  return { version, message: messageFor(prediction, program.messages), prediction }
}

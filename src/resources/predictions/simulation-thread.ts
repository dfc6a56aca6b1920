/*
 * The thread that simulates orders: a program given as text may have many rules, and an order many lines.
 */
import type { Static } from 'typebox'
import type { Snapshot } from '../../engine/points/ledger/snapshot.ts'
import { serveSideTasks } from '../../routing/side-task.ts'
import { programsIn, type StoredProgram } from '../programs/stored-programs.ts'
import type { PREDICTION_RESPONSES } from './responses.ts'
import { shownExplanation } from './shown-explanation.ts'
import { type SimulatedColumn, simulateOrder } from './simulate-order.ts'

/** What the thread is asked to do: `data` is unvalidated input, `nowMs` the moment of the request. */
export type SimulationTask = Readonly<{
  data: unknown
  nowMs: number
  stored: readonly StoredProgram[]
  /** How long the service may take to answer the thread's queries. */
  leftMs: number
}>

/** A snapshot without its functions, which cannot be cloned: it has neither windows nor histories. */
export type ClonedSnapshot = Omit<Snapshot, 'levelPointsIn' | 'history'>

/** The response without what was left out. */
export type SimulatedOrder = Omit<Static<(typeof PREDICTION_RESPONSES)['POST /api/admin/simulations']>, 'left_out'>

serveSideTasks(async ({ data, nowMs, stored, leftMs }: SimulationTask, call): Promise<SimulatedOrder> => {
  const programs = programsIn(stored)
  const deps: Parameters<typeof simulateOrder>[0] = {
    now: () => new Date(nowMs),
    programs: () => programs,
    findInputs: async (query) => ({
      ...(await call<ClonedSnapshot>('findInputs', query)),
      levelPointsIn: () => undefined,
      history: () => undefined,
    }),
    findHistories: (queries) => call('findHistories', queries),
    sumWindows: (queries) => call('sumWindows', queries),
  }
  const { applied, compared } = await simulateOrder(deps, data, performance.now() + leftMs)
  return { holds: wireColumn(applied), compared: compared === undefined ? null : wireColumn(compared) }
})

function wireColumn({ version, message, prediction, balance, without }: SimulatedColumn): SimulatedOrder['holds'] {
  return {
    version: version ?? null,
    message,
    total_points: Number(prediction.points),
    explanation: shownExplanation(prediction, without, balance),
  }
}

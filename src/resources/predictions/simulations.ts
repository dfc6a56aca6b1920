import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import type { HistoryQuestion, WindowQuestion } from '../../engine/points/ledger/snapshot.ts'
import type { OrderQuestion } from '../../ledger/snapshots.ts'
import type { RouteRequest } from '../../routing/route.ts'
import { createSideThread } from '../../routing/side-thread.ts'
import { readStoredPrograms, type StoredProgram } from '../programs/stored-programs.ts'
import type { ClonedSnapshot, Simulation, SimulationTask } from './simulation-thread.ts'

/** Simulates orders in a thread, which asks this one for what is stored. Errors: those of `simulateOrder` and of the thread. */
export function createSimulations(deps: Deps): (request: RouteRequest) => Promise<Simulation> {
  const thread = createSideThread(new URL('./simulation-thread.ts', import.meta.url), deps.sideQueue)
  let known: Readonly<{ programs: unknown; stored: readonly StoredProgram[] }> | undefined

  /** The texts of the versions in memory, read again when a version was published or withdrawn. */
  async function storedPrograms(deadlineAt: number): Promise<readonly StoredProgram[]> {
    const programs = deps.programs()
    if (known?.programs !== programs)
      known = { programs, stored: await readStoredPrograms(readerOf(deps.db, deadlineAt)) }
    return known.stored
  }

  return async ({ data, caller, deadlineAt, isAbandoned }) => {
    const stored = await storedPrograms(deadlineAt)
    const calls = {
      findInputs: async (question: OrderQuestion): Promise<ClonedSnapshot> => {
        const { profiles, accounts, orders, catalogue, codes } = await deps.findInputs(question, deadlineAt)
        return { profiles, accounts, orders, catalogue, codes }
      },
      findHistories: (questions: readonly HistoryQuestion[]) => deps.findHistories(questions, deadlineAt),
      sumWindows: (questions: readonly WindowQuestion[]) => deps.sumWindows(questions, deadlineAt),
    }
    const leftMs = deadlineAt - performance.now()
    const input: SimulationTask = { data, nowMs: deps.now().getTime(), stored, leftMs }
    return thread<Simulation>({ tokenId: caller.tokenId, input, calls, deadlineAt, isAbandoned })
  }
}

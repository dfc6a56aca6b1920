import type { Static } from 'typebox'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import type { Handles } from '../../engine/ingest/handles.ts'
import type { ForeignOrder, HistoryQuery, Profile, WindowQuery } from '../../engine/points/ledger/snapshot.ts'
import type { RecordedOrder } from '../../engine/points/model.ts'
import { LEFT_OUT, withoutLeftOut, withoutPersonalInputs } from '../../engine/whatif/left-out.ts'
import type { OrderQuery } from '../../ledger/snapshots.ts'
import type { RouteRequest } from '../../routing/route.ts'
import { createSideThread } from '../../routing/side-thread.ts'
import { readStoredPrograms, type StoredProgram } from '../programs/stored-programs.ts'
import type { PREDICTION_RESPONSES } from './responses.ts'
import type { ClonedSnapshot, SimulatedOrder, SimulationTask } from './simulation-thread.ts'

type Simulation = Static<(typeof PREDICTION_RESPONSES)['POST /api/admin/simulations']>

/** Simulates orders in a thread, which asks this one for what is stored. Errors: those of `simulateOrder` and of the thread. */
export function createSimulations(deps: Deps): (request: RouteRequest) => Promise<Simulation> {
  const thread = createSideThread(new URL('./simulation-thread.ts', import.meta.url), deps.sideQueue)
  let cached: Readonly<{ programs: unknown; stored: readonly StoredProgram[] }> | undefined

  /** The texts of the versions in memory, read again when a version was published or withdrawn. */
  async function storedPrograms(deadlineAt: number): Promise<readonly StoredProgram[]> {
    const programs = deps.programs()
    if (cached?.programs !== programs)
      cached = { programs, stored: await readStoredPrograms(readerOf(deps.db, deadlineAt)) }
    return cached.stored
  }

  return async ({ data, caller, deadlineAt, isAbandoned }) => {
    const stored = await storedPrograms(deadlineAt)
    const leavesOut = !caller.scopes.has('support')
    const calls = {
      findInputs: async (query: OrderQuery): Promise<ClonedSnapshot> => {
        const { levelPointsIn, history, ...snapshot } = await deps.findInputs(query, deadlineAt)
        return leavesOut ? withoutInputsOfPlayers(snapshot) : snapshot
      },
      findHistories: (queries: readonly HistoryQuery[]) => deps.findHistories(queries, deadlineAt),
      sumWindows: (queries: readonly WindowQuery[]) => deps.sumWindows(queries, deadlineAt),
    }
    const leftMs = deadlineAt - performance.now()
    const orderData = withoutHandle(data, deps.handles)
    const input: SimulationTask = { data: orderData, nowMs: deps.now().getTime(), stored, leftMs }
    const simulated = await thread<SimulatedOrder>({ tokenId: caller.tokenId, input, calls, deadlineAt, isAbandoned })
    return { ...simulated, left_out: leavesOut ? [...LEFT_OUT] : [] }
  }
}

/** What is stored, without what callers without the scope `support` may not find out. */
function withoutInputsOfPlayers({ profiles, orders, ...snapshot }: ClonedSnapshot): ClonedSnapshot {
  return {
    ...snapshot,
    profiles: new Map(
      [...(profiles as Map<string, Profile>)].map(([id, profile]) => [id, withoutPersonalInputs(profile)]),
    ),
    orders: new Map(
      [...(orders as Map<string, RecordedOrder | ForeignOrder>)].map(([id, order]) => [
        id,
        // Whoever sends a recorded order may say its attributes, but not find them out.
        'facts' in order ? withoutLeftOut(order) : order,
      ]),
    ),
  }
}

/** What is asked, with the id of the player where it has a handle. */
function withoutHandle(data: unknown, { idIn }: Handles): unknown {
  const { order } = (data ?? {}) as Readonly<{ order?: Readonly<{ user_id?: unknown }> }>
  const userId = order?.user_id
  return typeof userId === 'string' ? { ...(data as object), order: { ...order, user_id: idIn(userId) } } : data
}

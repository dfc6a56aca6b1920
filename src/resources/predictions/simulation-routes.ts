import { schemaOf } from '../../engine/ingest/record.ts'
import { explanationOf } from '../../engine/points/explanation.ts'
import type { Answer } from '../../server/answers.ts'
import type { Deps } from '../../shared/deps.ts'
import { adminRoute } from '../../shared/routes/admin-route.ts'
import type { Description, Route } from '../../shared/routes/route.ts'
import { shownBalance } from './shown-balance.ts'
import { SIMULATION_WORDS, type SimulatedColumn, simulateOrder, simulationFields } from './simulate-order.ts'

type Simulation = Answer<'POST /api/admin/simulations'>

const DESCRIBED: Description<Simulation> = {
  operationId: 'simulateOrder',
  tag: 'predictions',
  summary: 'Compute what an order would earn, without counting it as a prediction',
  description:
    'The answer is that of a prediction with `explain=true`, under the program that applies, with what the order does to the balance where points wait, expire or pay. With `under_version` or `under_source`, a second column has the same under that program. Nothing is kept: questions from the console must not count as promises to customers.',
  data: schemaOf(simulationFields, SIMULATION_WORDS),
  example: {
    data: { order: { user_id: 'u-1', total_amount: '50' } },
    answer: {
      holds: {
        version: 1,
        message: 'You will earn 5 points and stay at Silver.',
        total_points: 5,
        explanation: {
          earned: [{ rule: 'base', points: '5', because: { net: '50', points: '1', every: '10' } }],
          not_applied: [],
          rounding: '0',
          level: {
            before: 'Silver',
            after: 'Silver',
            upgraded: false,
            counted: 795,
            next: { name: 'Gold', missing: 1_205 },
          },
          notes: [],
          program: { version: 1, name: 'Starter' },
          balance: {
            before: { available: 690, pending: 0, held: 0 },
            earns: { points: 5, usable_on: '2026-06-01', expires_on: null },
            redeems: { points: 0, pays: '0', from: [] },
            redeemable: { most: 690, pays: '6.9' },
            after: { available: 695, pending: 0, held: 0 },
            next_expiry: null,
          },
        },
      },
      compared: null,
    },
  },
}

/** Hypothetical orders (docs/api.md). */
export function adminSimulationRoutes(deps: Deps): Route[] {
  return [
    adminRoute('POST /api/admin/simulations', ['read'], { described: DESCRIBED }, async ({ data, deadlineAt }) => {
      const { applied, compared } = await simulateOrder(deps, data, deadlineAt)
      return { holds: wireColumn(applied), compared: compared === undefined ? null : wireColumn(compared) }
    }),
  ]
}

function wireColumn({ version, message, prediction, balance }: SimulatedColumn): Simulation['holds'] {
  const explanation = explanationOf(prediction)
  return {
    version: version ?? null,
    message,
    total_points: Number(prediction.points),
    explanation: balance === undefined ? explanation : { ...explanation, balance: shownBalance(balance) },
  }
}

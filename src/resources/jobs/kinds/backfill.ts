import { Type } from '../../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { jobKind } from '../job-kind.ts'

/** Counts entries recorded before entries had days in the statistics. */
export const backfillJob = jobKind({
  scope: 'admin',
  worksOn: 'service',
  result: Type.Object(
    { counted: RESPONSE_PARTS.whole('count of entries counted') },
    { title: 'BackfillResult', description: 'How many entries were counted' },
  ),
  fields: {},
  words: {
    title: 'BackfillJob',
    description: 'Backfills statistics. Started automatically; after a cancellation, start it to resume',
    fields: {},
  },
  run: async (_, { openDatabase, report, isStopped }) => {
    const { backfillAll } = await import('../../statistics/fold-statistics.ts')
    let counted = 0
    await backfillAll(await openDatabase(), isStopped, (far) => {
      counted = far.counted
      report([{ of: 'entries', done: far.counted, total: far.entries }])
    })
    return { counted }
  },
})

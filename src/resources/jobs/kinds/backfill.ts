import { jobKind } from '../job-kind.ts'

/** Counts entries recorded before entries had days in the statistics. */
export const backfillJob = jobKind({
  scope: 'admin',
  worksOn: 'service',
  shows: { shown: ['counted'] },
  fields: {},
  words: {
    title: 'BackfillJob',
    description:
      'Counts entries from before Laurel kept statistics. The service asks for it by itself; if it was cancelled, it can be asked for again, and continues where it stopped',
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

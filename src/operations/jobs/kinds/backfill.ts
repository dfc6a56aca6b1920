import { jobKind } from '../job-kind.ts'

/** Entries from before days were kept, counted in the statistics. */
export const backfillJob = jobKind({
  scope: 'admin',
  worksOn: 'service',
  fields: {},
  words: {
    title: 'BackfillJob',
    description:
      'Counts entries from before Laurel kept statistics. The service asks for it by itself; who cancels it may ask for it again, and it goes on where it ended',
    fields: {},
  },
  run: async (_, { openDatabase, report, isStopped }) => {
    const { backfillAll } = await import('../../background/backfill-statistics.ts')
    let counted = 0
    await backfillAll(await openDatabase(), isStopped, (far) => {
      counted = far.counted
      report([{ of: 'entries', done: far.counted, total: far.entries }])
    })
    return { counted }
  },
})

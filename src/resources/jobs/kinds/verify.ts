import { jobKind } from '../job-kind.ts'

/** Derives everything again that the ledger stores redundantly. */
export const verifyJob = jobKind({
  scope: 'admin',
  worksOn: 'snapshot',
  shows: { shown: ['players', 'orders', 'entries', 'differing'] },
  fields: {},
  words: {
    title: 'VerifyJob',
    description: 'Recomputes accounts, orders and statistics, and reports differences',
    fields: {},
  },
  run: async (_, { openDatabase, report }) => {
    const { ledgerDocumentOf, verifyLedger } = await import('../../verification/verify-ledger.ts')
    const found = await verifyLedger(await openDatabase(), ({ players, orders }) =>
      report([
        { of: 'players', done: players, total: null },
        { of: 'orders', done: orders, total: null },
      ]),
    )
    return ledgerDocumentOf(found)
  },
})

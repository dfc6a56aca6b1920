import { jobKind } from '../job-kind.ts'

/** Derives everything again that the ledger stores redundantly. */
export const verifyJob = jobKind({
  scope: 'admin',
  worksOn: 'snapshot',
  shows: { shown: ['players', 'orders', 'entries', 'differing'] },
  fields: {},
  words: {
    title: 'VerifyJob',
    description: 'Derives every account, every order and the statistics anew, and says what differs',
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

import { addedField, personal, Type } from '../../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { jobKind } from '../job-kind.ts'

const { listOf, whole, exact } = RESPONSE_PARTS

/** Derives everything again that the ledger stores redundantly. */
export const verifyJob = jobKind({
  scope: 'admin',
  worksOn: 'snapshot',
  result: Type.Object(
    {
      players: whole('count of players'),
      orders: whole('count of orders'),
      entries: exact('count of entries'),
      erased: addedField(whole('count of orders of erased players, whose points cannot be recomputed')),
      differing: whole('count of differences'),
      differences: listOf(personal('text', Type.String()), 'human-readable: the first 100 differences'),
    },
    { title: 'VerifyResult', description: 'Whether recomputed accounts, orders and statistics are the stored ones' },
  ),
  fields: {},
  words: {
    title: 'VerifyJob',
    description: 'Recomputes accounts, orders and statistics, and reports differences',
    fields: {},
  },
  run: async (_, { openDatabase, report }) => {
    const { ledgerDocumentOf, verifyLedger } = await import('../../verification/verify-ledger.ts')
    const verification = await verifyLedger(await openDatabase(), ({ players, orders }) =>
      report([
        { of: 'players', done: players, total: null },
        { of: 'orders', done: orders, total: null },
      ]),
    )
    return ledgerDocumentOf(verification)
  },
})

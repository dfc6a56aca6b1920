/*
 * Figures of accounts, when a test needs them: the service also works on them by itself, at its own times.
 */
import { foldAccounts } from '../../src/resources/statistics/fold-accounts.ts'
import { sweepAccounts } from '../../src/resources/statistics/sweep-accounts.ts'
import type { TestApp } from './test-app.ts'
import { eventually } from './waiting.ts'

type Served = Pick<TestApp, 'service' | 'query'>

/** Counts the accounts that were changed, after what the service may be counting. */
export async function foldedAccounts({ service: { deps } }: Served): Promise<void> {
  await eventually('accounts are counted', () => foldAccounts(deps))
}

/** Sweeps all accounts as they are now, even if the service has just swept them. Others must not write meanwhile. */
export async function sweptAccounts({ service: { deps }, query }: Served): Promise<void> {
  await eventually('accounts are swept', async () => {
    const forget = 'delete from account_sweeps; delete from background_work'
    await deps.db.transaction((tx) => tx.script(forget), performance.now() + 60_000)
    if (!(await sweepAccounts(deps))) return false
    // A sweep of the service that began earlier may have ended later.
    const [{ isOfAll } = { isOfAll: false }] = await query(
      `select (players, balance + debts) = (select count(*), coalesce(sum(points), 0) from accounts) as "isOfAll" from account_sweeps order by at desc limit 1`,
    )
    return isOfAll === true
  })
}

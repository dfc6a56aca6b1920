import type { Queryable } from '../../database/db/driver.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { findLastOrderFrom } from '../../ledger/recorded-orders.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import type { Deps } from '../../shared/deps.ts'
import { lockPrograms, markProgramWithdrawn, selectPrograms } from './store.ts'

/**
 * Withdraws a version before it takes effect: it stays listed, but is never in effect. Idempotent. `by` is the id of the caller's token.
 * Errors: NotFound; InvalidInput if the version is already in effect, or there are recorded orders at or after its moment; Unavailable.
 */
export async function withdrawProgram(
  deps: Pick<Deps, 'db' | 'now' | 'observe'>,
  version: string,
  by: string,
  deadlineAt: number,
): Promise<void> {
  const at = deps.now().toISOString()
  const writeAct = prepareAct('program-withdrawn', { at, by })
  const withdrawn = await deps.db.transaction(async (tx) => {
    await lockPrograms(tx)
    const found = (await selectPrograms(tx)).find((one) => String(one.version) === version)
    if (found === undefined) throw new NotFound(`there is no program version ${shortened(version)}`)
    const isOwn = tx.mayHaveCommitted && found.withdrawn_at === at && found.withdrawn_by === by
    if (isOwn) return found.version
    if (found.withdrawn_at !== null) return undefined
    await assertNotInEffect(tx, found.holds_from, at)
    await markProgramWithdrawn(tx, found.version, at, by)
    await writeAct(tx, version)
    return found.version
  }, deadlineAt)
  if (withdrawn !== undefined) deps.observe({ kind: 'program-withdrawn', version: withdrawn, by })
}

async function assertNotInEffect(tx: Queryable, from: string, at: string): Promise<void> {
  const refuse = (why: string): never => {
    throw new InvalidInput('version', `expected a version that is not in effect yet: ${why}`)
  }
  if (from <= at) refuse(`this one has been in effect ${from === '-infinity' ? 'from the beginning' : `since ${from}`}`)
  // Orders may be dated a few minutes ahead (decision 33).
  const order = await findLastOrderFrom(tx, from)
  if (order !== undefined)
    refuse(`order ${shortened(order.order_id)} was placed under this one, at ${order.ordered_at}`)
}

import { readerOf } from '../../database/db/reader.ts'
import { hasLapsed } from '../../engine/points/ledger/holds.ts'
import type { Redemption } from '../../engine/points/model.ts'
import type { UserId } from '../../engine/points/units.ts'
import { listRedemptionPage } from '../../ledger/stored-redemptions.ts'
import type { Deps } from '../../shared/deps.ts'
import { listPage, type Page, type PageQuery } from '../../shared/routes/pages.ts'
import { paysOf, type ShownRedemption } from './service.ts'

/** A redemption without the lots it draws on. */
export type ListedRedemption = Pick<ShownRedemption, 'redemption' | 'isLapsed' | 'pays'>

/** Lists a page of a player's redemptions in any state, by id. An unknown player has none. Errors: InvalidInput, Unavailable. */
export async function listRedemptions(
  deps: Deps,
  userId: UserId,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<ListedRedemption>> {
  const at = deps.now().toISOString()
  const programs = deps.programs()
  const { rows, after } = await listPage(
    query,
    ({ id }: Redemption) => id,
    (page) => listRedemptionPage(readerOf(deps.db, deadlineAt), page, userId),
  )
  const listed = rows.map((redemption) => ({
    redemption,
    isLapsed: hasLapsed(redemption, at),
    pays: paysOf(redemption, programs),
  }))
  return { rows: listed, after }
}

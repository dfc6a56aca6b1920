import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { redeem } from '../../engine/points/ledger/hold-or-redeem.ts'
import { hasLapsed, heldMovements, sumSpent } from '../../engine/points/ledger/holds.ts'
import type { RedeemCommand, RedeemVerdict } from '../../engine/points/ledger/redemptions.ts'
import { historyKey, type PlayerHistory } from '../../engine/points/ledger/snapshot.ts'
import { balanceAsOf, type Lot, lotsDrawn } from '../../engine/points/lots/balance.ts'
import { debitOn } from '../../engine/points/lots/movement.ts'
import type { Redemption } from '../../engine/points/model.ts'
import { expiryAssignmentsOf } from '../../engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { postingDateAt, programAt } from '../../engine/points/programs.ts'
import { paidBy, paysText } from '../../engine/points/redeem-rules.ts'
import type { Points, UserId } from '../../engine/points/units.ts'
import { NotFound } from '../../errors.ts'
import { listAccounts } from '../../ledger/accounts.ts'
import { listHistories } from '../../ledger/histories.ts'
import { erasedPlayer } from '../../ledger/order-refusals.ts'
import { redemptionError } from '../../ledger/redemption-error.ts'
import { listRedemptionPage } from '../../ledger/stored-redemptions.ts'
import { type ComputedSlice, writeSlices } from '../../ledger/write-slices.ts'
import { listPage, type Page, type PageQuery } from '../../routing/pages.ts'

/** A redemption, what it pays, the lots it draws on, and the player's remaining points. */
export type ShownRedemption = Readonly<{
  redemption: Redemption
  /** Whether this is a hold that ran out without being confirmed. */
  isLapsed: boolean
  pays: string | undefined
  lots: readonly Lot[]
  available: Points
  held: Points
}>

/**
 * Holds points, spends them, confirms a hold, or voids either (decision 139). Idempotent: repeating a command changes nothing and returns
 * `repeated`. `by` is the id of the caller's token.
 *
 * Errors: InvalidInput for what the program does not allow, and for the same id with other content; NotFound; NotRedeemable if the player has
 * too few points, or the redemption is in another state; Unavailable: safe to retry.
 */
export async function redeemPoints(
  deps: Deps,
  userId: UserId,
  command: RedeemCommand,
  by: string,
  deadlineAt: number,
): Promise<ShownRedemption & Readonly<{ repeated: boolean }>> {
  const at = deps.now().toISOString()
  const compute = async (db: Queryable): Promise<ComputedSlice<RedeemVerdict>> => {
    const [player] = await listAccounts(db, [userId])
    if (player === undefined) throw new NotFound(`player ${shortened(userId)} not found`)
    if (player.isErased) throw new NotFound(erasedPlayer('user_id').error)
    const programs = deps.programs()
    const published = programAt(programs, at)
    if (published === undefined) throw new NotFound('no program is in effect')
    const history = await historyOf(db, userId, command.id)
    const context = {
      now: at,
      today: postingDateAt(programs, at),
      programs,
      expiryAssignments: expiryAssignmentsOf(programs),
    }
    const verdict = redeem(command, { ...context, userId, account: player.account, history, published, by })
    const none = new Map<string, never>()
    return {
      change: 'refused' in verdict ? { accounts: none, orders: none, entries: [] } : verdict.change,
      before: { accounts: new Map([[userId, player.account]]), orders: none },
      verdicts: [verdict],
    }
  }
  const write = { compute, wanted: [{ userId }], at, deadlineAt }
  const [verdict] = (await writeSlices(deps, [[command]], write)) as [RedeemVerdict]
  if ('refused' in verdict) {
    deps.observe({ kind: 'redemptions-refused', reasons: [verdict.refused.kind] })
    throw redemptionError(command, verdict.refused)
  }
  const repeated = verdict.done === 'unchanged'
  return { ...(await showRedemption(deps, userId, command.id, deadlineAt)), repeated }
}

/** Shows a redemption. Errors: NotFound; Unavailable. */
export async function showRedemption(
  deps: Pick<Deps, 'db' | 'now' | 'programs'>,
  userId: UserId,
  id: string,
  deadlineAt: number,
): Promise<ShownRedemption> {
  const at = deps.now().toISOString()
  const programs = deps.programs()
  const { movements, redemptions } = await historyOf(readerOf(deps.db, deadlineAt), userId, id)
  const redemption = redemptions.find((one) => one.id === id)
  if (redemption === undefined) throw new NotFound(`redemption ${shortened(id)} not found`)
  const holds = heldMovements(redemptions, at)
  const expiryAssignments = expiryAssignmentsOf(programs)
  const withHolds = [...movements, ...holds]
  const { available } = balanceAsOf(postingDateAt(programs, at), withHolds, expiryAssignments)
  const { heldOn, points, state } = redemption
  const isLapsed = hasLapsed(redemption, at)
  const isDrawn = !isLapsed && state !== 'voided'
  const without = [...withHolds, debitOn(heldOn, -points)]
  return {
    redemption,
    isLapsed,
    pays: formatPayment(redemption, programs),
    lots: isDrawn ? lotsDrawn(debitOn(heldOn, points), without, expiryAssignments) : [],
    available,
    held: sumSpent(holds),
  }
}

/** What the points of a redemption pay; undefined for a reward, and if its program gives points no value. */
export function formatPayment(
  { points, program, reward }: Redemption,
  programs: readonly PublishedProgram[],
): string | undefined {
  const { redeem: rules, money } = programs.find(({ version }) => version === program)?.program ?? {}
  const isReward = rules?.value === undefined || reward !== undefined
  return isReward ? undefined : paysText(paidBy(points, rules), money!.decimals)
}

async function historyOf(db: Queryable, userId: UserId, redemptionId: string): Promise<PlayerHistory> {
  const ledgerQuery = { userId, orderId: '', redemptionId }
  return (await listHistories(db, [ledgerQuery])).get(historyKey(ledgerQuery))!
}

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
    pays: formatPayment(redemption, programs),
  }))
  return { rows: listed, after }
}

/*
 * Who names a player: orders of others, with the player's referral code, and others whose referrer the player was.
 */
import type { Queryable } from '../../database/db/driver.ts'
import { LAST_KEY } from '../../database/db/key-page.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import { ERASED_CODE } from '../../engine/points/model.ts'
import type { UserId } from '../../engine/points/units.ts'
import type { NamedPlayer, PlayerMentions } from './store.ts'

const boundSql = sqlFile(import.meta.url, 'mentions-bound')
const referrersSql = sqlFile(import.meta.url, 'mentions-of-referrers')
const inOrdersSql = sqlFile(import.meta.url, 'mentions-in-orders')
const inPlayersSql = sqlFile(import.meta.url, 'mentions-in-players')

/** A part of all players, by id: after the first, up to the second. */
type IdRange = readonly [after: UserId, upTo: UserId]

/** All ids, in ranges of so many players; those so far if `isStopping`. */
export async function* idRanges(
  read: Queryable,
  players: number,
  isStopping: () => boolean = () => false,
): AsyncGenerator<IdRange> {
  for (let after = ''; after !== LAST_KEY && !isStopping(); ) {
    const [page] = await read.query<{ last: UserId | null }>(boundSql, [after, players])
    const upTo = page!.last ?? LAST_KEY
    yield [after, upTo]
    after = upTo
  }
}

/** Who names whom: by the id or the referral code of the other, or by a text that identifies them. */
type Naming = Readonly<{ who: UserId; id?: UserId | undefined; code?: string; text?: string }>
type Owners = Readonly<Record<string, Readonly<{ referrerId?: UserId }>>>

/** Who names each of these players, in their order. All orders and players are read once, a range at a time. Errors: those of `read`. */
export async function findMentions(
  read: Queryable,
  named: readonly NamedPlayer[],
  ranges: AsyncIterable<IdRange>,
): Promise<PlayerMentions[]> {
  const ids = named.map(({ userId }) => userId)
  const referred = await read.query<{ user_id: UserId; referrer_id: UserId }>(referrersSql, [ids])
  const naming = referred.map(({ user_id: who, referrer_id: id }) => ({ who, id }))
  return mentionsIn(named, [...naming, ...(await findNaming(read, named, ranges))])
}

/** Who still names these players after they were erased: by the id or a text of theirs. Otherwise as for `findMentions`. */
export async function findLeftMentions(
  read: Queryable,
  erased: readonly NamedPlayer[],
  ranges: AsyncIterable<IdRange>,
): Promise<PlayerMentions[]> {
  // Whoever sends the code from now on may mean another player who has it.
  const named = erased.map((one) => ({ ...one, referralCode: '' }))
  const naming = await findNaming(read, named, ranges)
  return mentionsIn(
    named,
    naming.filter(({ code }) => code !== ERASED_CODE),
  )
}

async function findNaming(
  read: Queryable,
  named: readonly NamedPlayer[],
  ranges: AsyncIterable<IdRange>,
): Promise<Naming[]> {
  const ids = named.map(({ userId }) => userId)
  const codes = named.map(({ referralCode }) => referralCode).filter((code) => code !== '')
  const texts = named.flatMap(({ texts }) => texts)
  const naming: Naming[] = []
  for await (const range of ranges) {
    type Order = Readonly<{ user_id: UserId; codes: string }>
    for (const { user_id: who, codes: owners } of await read.query<Order>(inOrdersSql, [...range, ids, codes]))
      for (const [code, { referrerId: id }] of Object.entries(JSON.parse(owners) as Owners))
        naming.push({ who, id, code })
    type Player = Readonly<{ user_id: UserId; referred_by: string }>
    for (const { user_id: who, referred_by: text } of await read.query<Player>(inPlayersSql, [...range, texts]))
      naming.push({ who, text })
  }
  return naming
}

function mentionsIn(named: readonly NamedPlayer[], naming: readonly Naming[]): PlayerMentions[] {
  const by = (keyOf: (one: Naming) => string | undefined) => Map.groupBy(naming, keyOf)
  const [byId, byCode, byText] = [by(({ id }) => id), by(({ code }) => code), by(({ text }) => text)]
  return named.map(({ userId, referralCode, texts }) => ({
    inOrders: othersIn([byId.get(userId), byCode.get(referralCode)], userId),
    asReferrer: othersIn(
      texts.map((text) => byText.get(text)),
      userId,
    ),
  }))
}

function othersIn(namings: readonly (readonly Naming[] | undefined)[], userId: UserId): UserId[] {
  const ids = new Set(namings.flatMap((some) => some?.map(({ who }) => who) ?? []))
  ids.delete(userId)
  return [...ids].sort()
}

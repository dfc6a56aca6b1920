import type { Queryable } from '../../database/db/driver.ts'
import type { PlainDate, UserId } from '../../engine/points/units.ts'
import { listPlayerMovements, type PlayerMovements } from '../../ledger/histories.ts'

const PAGE_PLAYERS = 500

type MovementsQuery = Readonly<{ after: UserId; day: PlainDate; knownAt: string }>

/** All players after `after` with their movements up to `day`, as known at `knownAt` (`infinity`: all), page by page. Errors: Unavailable. */
export async function* pagesOfPlayers(
  reader: Queryable,
  { after, ...query }: MovementsQuery,
): AsyncGenerator<readonly PlayerMovements[]> {
  for (let last: UserId | undefined = after; last !== undefined; ) {
    const page: PlayerMovements[] = await listPlayerMovements(reader, { ...query, after: last, limit: PAGE_PLAYERS })
    yield page
    last = page.length < PAGE_PLAYERS ? undefined : page.at(-1)!.userId
  }
}

/** The same, one by one. */
export async function* everyPlayer(reader: Queryable, query: MovementsQuery): AsyncGenerator<PlayerMovements> {
  for await (const page of pagesOfPlayers(reader, query)) yield* page
}

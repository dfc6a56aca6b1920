import { NotFound } from '../errors.ts'
import { shortened } from '../ingest/shown.ts'
import { type WindowQuestion, windowKey } from '../points/ledger/snapshot.ts'
import { levelChange, windowStart } from '../points/levels.ts'
import type { LevelChange } from '../points/model.ts'
import { programAt } from '../points/programs.ts'
import { listAccounts } from '../store/accounts.ts'
import { readerOf } from '../store/db/reader.ts'
import type { Deps } from './deps.ts'

/** Where a player stands now: the balance, the points that count for the level, the level. */
export type PlayerStanding = Readonly<{
  name: string
  points: bigint
  levelPoints: bigint
  level: string
  next: LevelChange['next']
}>

/** Shows where a player stands under the program that holds now. Errors: NotFound for one never sent; Unavailable. */
export async function showStanding(deps: Deps, userId: string, deadlineAt: number): Promise<PlayerStanding> {
  const reader = readerOf(deps.db, deadlineAt)
  const [found] = await listAccounts(reader, [userId])
  if (found === undefined) throw new NotFound(`there is no player ${shortened(userId)}`)
  const now = deps.now().toISOString()
  const published = programAt(deps.programs(), now)
  if (published === undefined) throw new NotFound('no program holds now')
  const { counts, ladder } = published.program.levels
  const from = windowStart(counts, now)
  const levelPoints =
    from === undefined
      ? found.account.levelPoints
      : await sumOf(deps, { userId, orderId: '', from, to: now }, deadlineAt)
  const { before, next } = levelChange(ladder, levelPoints, 0n)
  return { name: found.name, points: found.account.points, levelPoints, level: before, next }
}

async function sumOf(deps: Deps, question: WindowQuestion, deadlineAt: number): Promise<bigint> {
  return (await deps.sumWindows([question], deadlineAt)).get(windowKey(question)) ?? 0n
}

/*
 * How long predictions take while two clients send bulk upserts without pause, compared with how long they take otherwise.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { BULK_CONNECTIONS, REQUEST_RECORDS } from './bulk.ts'
import { alternate, type Figure, figureOf, median } from './figures.ts'
import { overConnections, PLAYERS_PATH } from './http.ts'
import { LOAD_CONNECTIONS, load, warmed } from './load.ts'
import { type Round, sizeOf } from './round.ts'
import { aPlayer, bodiesOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { type RunningService, type Size, withService } from './testbed.ts'

const HEAD_START_MS = 500

export async function measureCrowded({ testbed, database, runs, records, seconds }: Round): Promise<Figure[]> {
  const size = sizeOf(records)
  return await withService(testbed, await testbed.filled(database, size), async (service) => {
    const changes = changesOf(records, aPlayer)
    await warmed(() => load(service, size, seconds))
    const { alone, crowded, upserts } = await alternate(runs, [
      async () => ({ alone: (await load(service, size, seconds)).p99 }),
      () => loadWhileUpserting(service, size, { changes, seconds }),
    ])
    return [
      figureOf(TARGETS.crowdedP99, {
        database,
        floor: alone,
        ours: crowded,
        note: `${LOAD_CONNECTIONS} connections; ${BULK_CONNECTIONS} clients change ${Math.round(median(upserts))} players a second in requests of ${REQUEST_RECORDS}; floor: p99 without them`,
      }),
    ]
  })
}

/** Requests that change players: each sends a different edition of a player from the one stored. */
export function changesOf(records: number, player: (index: number, edition: number) => object): () => Buffer {
  const bodies = [1, 2].flatMap((edition) =>
    bodiesOf((index) => player(index, edition), { records, each: REQUEST_RECORDS }),
  )
  let sent = 0
  return () => bodies[sent++ % bodies.length]!
}

/** The p99 of predictions in ms beside upserts, and how many players a second were changed meanwhile. */
export async function loadWhileUpserting(
  service: RunningService,
  size: Size,
  { changes, seconds }: Readonly<{ changes: () => Buffer; seconds: number }>,
): Promise<{ crowded: number; upserts: number }> {
  let loading = true
  let updated = 0
  const upserting = overConnections(service, BULK_CONNECTIONS, async (send) => {
    while (loading) {
      const response = (await send(PLAYERS_PATH, changes())) as { updated: number }
      updated += response.updated
    }
  })
  await sleep(HEAD_START_MS)
  const { p99 } = await load(service, size, seconds)
  loading = false
  return { crowded: p99, upserts: updated / (await upserting) }
}

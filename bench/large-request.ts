/*
 * One request of very many players, compared with COPY of the same rows; and the memory that the service uses meanwhile.
 */
import { copyInto, upsertRate, warmUp } from './bulk.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { oursOf, PLAYERS_PATH, type Rate, ratesOf } from './http.ts'
import { watchMemory } from './memory.ts'
import type { Round } from './round.ts'
import { aPlayer, bodiesOf, playerRow } from './samples.ts'
import { TARGETS } from './targets.ts'
import { EMPTY, withService } from './testbed.ts'

export async function measureLargeRequest(round: Round): Promise<Figure[]> {
  const { testbed, database, runs } = round
  const records = round.records * 2
  const bodies = bodiesOf(aPlayer, { records, each: records })
  const copy = await copyInto(round, 'players', { row: playerRow, times: 2 })
  const empty = await testbed.filled(database, EMPTY)
  const { copied, inserted } = await alternate<'copied' | 'inserted', Rate & { memory?: number }>(runs, [
    async () => ({ copied: await copy() }),
    () =>
      withService(testbed, empty, async (service) => {
        const highest = await watchMemory(service.pid)
        await warmUp(service, PLAYERS_PATH, aPlayer)
        const rate = await upsertRate(service, PLAYERS_PATH, { bodies, verdict: 'inserted' })
        return { inserted: { ...rate, memory: await highest() } }
      }),
  ])
  const sent = `one request of ${records} players, ${Math.round(bodies[0]!.length / 1e6)} MB`
  return [
    figureOf(TARGETS.largeRequest, {
      ...{ database, floor: ratesOf(copied), ...oursOf(inserted) },
      note: `${sent}; floor: COPY of the same rows into a table like ours`,
    }),
    figureOf(TARGETS.memory, {
      database,
      ours: inserted.map(({ memory = 0 }) => memory),
      note: `${sent}; resident memory of the service at its highest, above what it held idle after its start`,
    }),
  ]
}

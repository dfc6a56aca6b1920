/*
 * New players in bulk and the same players again, compared with COPY, and with a service as it is usually written with Express, zod and Knex.
 */
import { BULK_CONNECTIONS, copyInto, REQUEST_RECORDS, upsertRate, warmUp } from './bulk.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { oursOf, PLAYERS_PATH, type Rate, ratesOf, sendAll } from './http.ts'
import type { Round } from './round.ts'
import { aPlayer, bodiesOf, playerRow } from './samples.ts'
import { TARGETS } from './targets.ts'
import { EMPTY, withOther, withService } from './testbed.ts'

export async function measurePlayers(round: Round): Promise<Figure[]> {
  const { testbed, database, runs, records } = round
  const bodies = bodiesOf(aPlayer, { records, each: REQUEST_RECORDS })
  const copy = await copyInto(round, 'players', { row: playerRow })
  const empty = await testbed.filled(database, EMPTY)
  const { copied, inserted, unchanged, express } = await alternate<
    'copied' | 'inserted' | 'unchanged' | 'express',
    Rate
  >(runs, [
    async () => ({ copied: await copy() }),
    () =>
      withService(testbed, empty, async (service) => {
        await warmUp(service, PLAYERS_PATH, aPlayer)
        return {
          inserted: await upsertRate(service, PLAYERS_PATH, { bodies, verdict: 'inserted' }),
          unchanged: await upsertRate(service, PLAYERS_PATH, { bodies, verdict: 'updated' }),
        }
      }),
    async () => {
      const environment = { DATABASE_URL: await testbed.server.newDatabase() }
      return await withOther('express-knex.ts', environment, async (other) => {
        await warmUp(other, '/players', aPlayer)
        const { seconds } = await sendAll(other, '/players', { bodies, connections: BULK_CONNECTIONS })
        return { express: { perSecond: records / seconds, threads: undefined } }
      })
    },
  ])
  const sent = `${records} in requests of ${REQUEST_RECORDS}, ${BULK_CONNECTIONS} connections`
  const note = `${sent}; floor: COPY of the same rows into a table like ours`
  const theirs = database === 'postgres' ? 'the same PostgreSQL' : 'PostgreSQL, which they need'
  return [
    figureOf(TARGETS.playersNew, { database, floor: ratesOf(copied), ...oursOf(inserted), note }),
    figureOf(TARGETS.playersUnchanged, { database, floor: ratesOf(copied), ...oursOf(unchanged), note }),
    figureOf(TARGETS.playersBesideExpress, {
      ...{ database, floor: ratesOf(express), ...oursOf(inserted) },
      note: `${sent}; floor: Express, zod and Knex with multi-row upserts on ${theirs}`,
    }),
  ]
}

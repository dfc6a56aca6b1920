import { key } from '../../../engine/ingest/fields.ts'
import { optional } from '../../../engine/ingest/record.ts'
import { addedField, personal, Type } from '../../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../../routing/shared-responses.ts'
import { assertDayRange, daysFields } from '../../points-report/list-expiring-points.ts'
import { jobKind } from '../job-kind.ts'

const { listOf, orNull, text, exact } = RESPONSE_PARTS
const { day, quality, asOf } = SHARED_RESPONSES

/** Well below the 8 Mi characters of a result (start-thread.ts), because escapes may double an id and the last player may have many lots. */
const CHARACTERS_MAX = 3 * 2 ** 20
/** The size of a row without its id. */
const ROW_CHARACTERS = 95

const PLAYERS_PER_REPORT = 500

const result = Type.Object(
  {
    as_of: asOf,
    quality: addedField(quality),
    rows: listOf(
      Type.Object(
        {
          user_id: personal('id', text('player ID')),
          points: exact('points that expire'),
          on: day('the date from which they can no longer be spent'),
          last_day: addedField(day('the last date on which they can be spent')),
        },
        { title: 'ExpiringPoints', description: 'Points of a player that expire on a date' },
      ),
      'by player ID and date',
    ),
    after: orNull(personal('id', Type.String()), 'the cursor of the next page; null on the last'),
  },
  { title: 'PointsExpiringResult', description: 'A page of the points that expire in a date range' },
)

/** Lists points by player and day of expiry. */
export const pointsExpiringJob = jobKind({
  scope: 'program',
  worksOn: 'snapshot',
  result,
  fields: { ...daysFields, after: optional('after', key, '') },
  words: {
    title: 'PointsExpiringJob',
    description: 'Lists points that expire in a date range, from current balances; paginated by `after`',
    fields: {
      from: 'first date of the range; points expire on the date from which they can no longer be spent',
      to: 'last date of the range',
      after: 'the `after` cursor of the previous page; default: the first page',
    },
  },
  check: (range) => assertDayRange(range, 'data'),
  run: async (range, { openDatabase, now, report }) => {
    const { listExpiringPoints } = await import('../../points-report/list-expiring-points.ts')
    const head = { as_of: now, quality: 'swept' as const }
    const rows: Readonly<{ user_id: string; points: string; on: string; last_day: string }>[] = []
    let [players, characters] = [0, 0]
    for await (const { userId, expiring } of listExpiringPoints(await openDatabase(), range, now)) {
      players += 1
      for (const { points, on, lastDay } of expiring)
        rows.push({ user_id: userId, points: String(points), on, last_day: lastDay })
      characters += expiring.length * (userId.length + ROW_CHARACTERS)
      if (players % PLAYERS_PER_REPORT === 0) report([{ of: 'players', done: players, total: null }])
      if (characters > CHARACTERS_MAX) return { ...head, rows, after: userId }
    }
    report([{ of: 'players', done: players, total: null }])
    return { ...head, rows, after: null }
  },
})

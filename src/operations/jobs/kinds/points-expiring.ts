import { type Field, Misfit, optional } from '../../../ingest/record.ts'
import { Type } from '../../../points/json-schema.ts'
import { assertDaySpan, daysFields } from '../../list-endings.ts'
import { jobKind } from '../job-kind.ts'

/** Of the 8 Mi that a result may have (start-thread.ts), as escapes may double an id, and the last player may have many lots. */
const CHARACTERS_MAX = 3 * 2 ** 20
/** Of a row beside its id. */
const ROW_CHARACTERS = 70

const PLAYERS_A_REPORT = 500

/** Where a list before ended: a user id, encoded as in other lists (pages.ts), so that nobody reads an e-mail address at a glance. */
const cursor: Field<string> = {
  schema: Type.String({ pattern: '^[A-Za-z0-9_-]{2,}$' }),
  read: (value) => {
    const id = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : ''
    if (id === '' || id.includes('\0') || cursorAt(id) !== value)
      throw new Misfit('the after of the list before', value)
    return id
  },
}

function cursorAt(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

/** Whose points end when. */
export const pointsExpiringJob = jobKind({
  scope: 'program',
  worksOn: 'snapshot',
  fields: { ...daysFields, after: optional('after', cursor, '') },
  words: {
    title: 'PointsExpiringJob',
    description: 'Lists whose points end in a span of days, as things stand; what does not fit comes with `after`',
    fields: {
      from: 'the first day on which they cannot be spent any more',
      to: 'the last such day',
      after: 'what the list before answered under `after`; absent: from the first player on',
    },
  },
  check: (span) => assertDaySpan(span, 'data'),
  run: async (span, { openDatabase, now, report }) => {
    const { listEndings } = await import('../../list-endings.ts')
    const rows: Readonly<{ user_id: string; points: string; on: string }>[] = []
    let [players, characters] = [0, 0]
    for await (const { userId, endings } of listEndings(await openDatabase(), span, now)) {
      players += 1
      for (const { points, on } of endings) rows.push({ user_id: userId, points: String(points), on })
      characters += endings.length * (userId.length + ROW_CHARACTERS)
      if (players % PLAYERS_A_REPORT === 0) report([{ of: 'players', done: players, total: null }])
      if (characters > CHARACTERS_MAX) return { rows, after: cursorAt(userId) }
    }
    report([{ of: 'players', done: players, total: null }])
    return { rows, after: null }
  },
})

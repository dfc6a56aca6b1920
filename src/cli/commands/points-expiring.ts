import { listEndings } from '../../operations/report-points.ts'
import { escapeControls } from '../../operations/reports/text.ts'
import { withDatabase } from '../database.ts'
import { withOptions } from '../input/refused-option.ts'

export type PointsExpiringOptions = Readonly<{ from: string; to: string; json?: true }>

/** `laurel points expiring`: a line for each player and day on which points of theirs end. */
export async function pointsExpiring({ json, ...span }: PointsExpiringOptions): Promise<void> {
  const print = (line: string) => process.stdout.write(`${line}\n`)
  await withOptions(() =>
    withDatabase(async (db) => {
      for await (const { userId, points, on } of listEndings(db, span, new Date().toISOString()))
        print(
          json
            ? JSON.stringify({ user_id: userId, points: Number(points), on })
            : `${on}  ${String(points).padStart(10)}  ${escapeControls(userId)}`,
        )
    }),
  )
}

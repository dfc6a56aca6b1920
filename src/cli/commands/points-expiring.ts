import { type DayRange, listExpiringPoints, readDayRange } from '../../resources/points-report/list-expiring-points.ts'
import { csvText } from '../../server/page-formats.ts'
import { withDatabase } from '../database.ts'
import { withOptions } from '../input/range-options.ts'
import { printFile, printJsonLine, printLine, provenanceText } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'
import { runAsJob } from '../run-as-job.ts'

export type PointsExpiringOptions = Readonly<{ from: string; to: string; json?: true; csv?: true }>

/** `last_day` is absent from a service from before it was told. */
type Row = Readonly<{ user_id: string; points: string; on: string; last_day?: string }>
/** When rows are true, and their quality (decision 207). */
type Provenance = Readonly<{ as_of?: string; quality?: string }>
type Printer = Readonly<{
  begin: (provenance: Provenance) => void
  print: (row: Row & Provenance) => void
  onProgress: (players: number) => void
}>

/** `laurel points expiring`: a line for each player and day on which some of their points expire. */
export async function pointsExpiring({ json, csv, ...options }: PointsExpiringOptions): Promise<void> {
  const range = withOptions(() => readDayRange(options, 'query'))
  const progress = showCounts('{players} players | {duration_formatted}', { players: 0 })
  const printer = {
    begin: json || csv ? () => undefined : printProvenance,
    print: json ? printJsonRow : csv ? printCsvRow : printRow,
    onProgress: (players: number) => progress.update({ players }),
  }
  if (csv) printFile(csvText(COLUMNS, []))
  await printAll(range, printer).finally(progress.stop)
}

async function printAll(range: DayRange, printer: Printer): Promise<void> {
  if (await printOfService(range, printer)) return
  await withDatabase(async (db) => {
    let players = 0
    const now = new Date().toISOString()
    const provenance = { as_of: now, quality: 'swept' }
    printer.begin(provenance)
    for await (const { userId: user_id, expiring } of listExpiringPoints(db, range, now)) {
      for (const { points, on, lastDay } of expiring)
        printer.print({ user_id, points: String(points), on, last_day: lastDay, ...provenance })
      players += 1
      printer.onProgress(players)
    }
  })
}

/** Fetches page after page, as long as there are more. Returns false if no service is running. */
async function printOfService(range: DayRange, { begin, print, onProgress }: Printer): Promise<boolean> {
  for (let after: string | null | undefined; after !== null; ) {
    const request = { ...range, ...(after === undefined ? {} : { after }) }
    const page = await runAsJob('points-expiring', request, (count) => onProgress(count('players').done))
    if (page === undefined) return false
    const { rows, after: last, ...provenance } = page
    begin(provenance)
    for (const row of rows) print({ ...row, ...provenance })
    after = last
  }
  return true
}

const COLUMNS = ['user_id', 'points', 'on', 'last_day', 'as_of', 'quality']

function printProvenance({ as_of, quality }: Provenance): void {
  const text = provenanceText(as_of, quality)
  if (text !== '') printLine`${text}`
}

function printJsonRow({ points, ...row }: Row & Provenance): void {
  printJsonLine({ ...row, points: Number(points) })
}

function printCsvRow(row: Row & Provenance): void {
  printFile(csvText(COLUMNS, [row]).split('\r\n').slice(1).join('\r\n'))
}

function printRow({ user_id, points, on, last_day }: Row): void {
  const days = last_day === undefined ? on : `${on}  (last day ${last_day})`
  printLine`${days}  ${points.padStart(10)}  ${user_id}`
}

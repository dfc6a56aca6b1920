import { SingleBar } from 'cli-progress'
import { noteLine } from './print.ts'

/** The progress of a file: records read, and how much of it has been read, in per cent, if known. */
type FileProgress = Readonly<{ records: number; percent: number | undefined }>

const LINES_EVERY_MS = 5_000

/** A line that counts, on a terminal only. `format` is cli-progress's; `total` is absent if it is unknown before the end. */
export function showCounts<Counts extends Record<string, number>>(
  format: string,
  counts: Counts,
): { update: (counts: Counts, done?: number, total?: number) => void; stop: () => void } {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined }
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true })
  bar.start(1, 0, counts)
  return {
    update: (counts, done = 0, total = 1) => {
      bar.setTotal(total)
      bar.update(done, counts)
    },
    stop: () => bar.stop(),
  }
}

/** Runs `act`, which reports how many rows it has done so far; they are counted in a line, on a terminal only. Returns what `act` does. */
export async function countingRows<T>(act: (onRows: (rows: number) => void) => Promise<T>): Promise<T> {
  const { update, stop } = showCounts('{rows} rows | {duration_formatted}', { rows: 0 })
  return act((rows) => update({ rows })).finally(stop)
}

/** A bar on a terminal, a line every few seconds elsewhere; both on standard error. */
export function showFileProgress(progress: () => FileProgress): { update: () => void; stop: () => void } {
  return process.stderr.isTTY && progress().percent !== undefined ? barOf(progress) : renderProgress(progress)
}

function barOf(progress: () => FileProgress) {
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {records} records | {duration_formatted}',
    stream: process.stderr,
    barsize: 40,
    hideCursor: true,
  })
  let isDrawn = false
  const update = () => {
    // Not before the first records: a warning may have to be printed until then.
    if (!isDrawn) bar.start(100, 0, { records: 0 })
    isDrawn = true
    const { records, percent } = progress()
    bar.update(percent ?? 0, { records })
  }
  return { update, stop: () => bar.stop() }
}

function renderProgress(progress: () => FileProgress) {
  let printedAt = performance.now()
  const update = () => {
    if (performance.now() - printedAt < LINES_EVERY_MS) return
    printedAt = performance.now()
    const { records, percent } = progress()
    noteLine`${records} records read${percent === undefined ? '' : `, ${percent} % of the file`}`
  }
  return { update, stop: () => undefined }
}

/** One line that is overwritten each time, on a terminal only. */
export function showStep(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

import type { FileFault } from '../../engine/ingest/yaml-text.ts'
import { count } from '../../text.ts'

/** A file of another kind may have a fault for each of its words. */
const FAULTS_SHOWN_MAX = 50

/** How many faults a file has, and the first of them, each on a line of its own. */
export function faultsText(file: string, faults: readonly FileFault[]): string {
  const more = faults.length - FAULTS_SHOWN_MAX
  return [
    `${file} has ${count(faults.length, 'fault')}`,
    ...faults.slice(0, FAULTS_SHOWN_MAX).map(lineOf),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}

function lineOf({ line, path, error }: FileFault): string {
  return `  ${line === undefined ? '' : `line ${line}: `}${path === '' ? '' : `${path}: `}${error}`
}

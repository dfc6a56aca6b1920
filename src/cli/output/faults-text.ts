import type { FileFault } from '../../ingest/yaml-text.ts'

/** A file that is no program at all has as many faults as words. */
const FAULTS_SHOWN_MAX = 50

/** How many faults a file has, and the first of them, each on a line of its own. */
export function faultsText(file: string, faults: readonly FileFault[]): string {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`
  const more = faults.length - FAULTS_SHOWN_MAX
  return [
    `${file} has ${count}`,
    ...faults.slice(0, FAULTS_SHOWN_MAX).map(lineOf),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}

function lineOf({ line, path, error }: FileFault): string {
  return `  ${line === undefined ? '' : `line ${line}: `}${path === '' ? '' : `${path}: `}${error}`
}

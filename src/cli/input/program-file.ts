import { readProgramText } from '../../engine/ingest/program-text.ts'
import type { FileFault } from '../../engine/ingest/yaml-text.ts'
import type { Program } from '../../engine/points/program-model.ts'
import { count } from '../../text.ts'
import { CommandFailed } from '../failure.ts'
import { readTextFile } from './text-file.ts'

/** The text of a valid program file, and the program. Errors: CommandFailed with all its faults, OperatorError if there is no such file. */
export function readProgramFile(file: string): { source: string; program: Program } {
  const source = readTextFile(file)
  const read = readProgramText(source)
  if ('faults' in read) throw new CommandFailed(faultsText(file, read.faults))
  return { source, program: read.program }
}

/** A file of another kind may have a fault for each of its words. */
const FAULTS_SHOWN_MAX = 50

/** How many faults a file has (a program, or test cases), and the first of them, each on a line of its own. */
export function faultsText(file: string, faults: readonly FileFault[]): string {
  const more = faults.length - FAULTS_SHOWN_MAX
  return [
    `${file} has ${count(faults.length, 'error')}`,
    ...faults.slice(0, FAULTS_SHOWN_MAX).map(lineOf),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}

function lineOf({ line, path, error }: FileFault): string {
  return `  ${line === undefined ? '' : `line ${line}: `}${path === '' ? '' : `${path}: `}${error}`
}

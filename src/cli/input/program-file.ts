import { readProgramText } from '../../engine/ingest/program-text.ts'
import type { Program } from '../../engine/points/program-model.ts'
import { CommandFailed } from '../failure.ts'
import { faultsText } from '../output/faults-text.ts'
import { readTextFile } from './text-file.ts'

/** The text of a valid program file, and the program. Errors: CommandFailed with all its faults, OperatorError if there is no such file. */
export function readProgramFile(file: string): { source: string; program: Program } {
  const source = readTextFile(file)
  const read = readProgramText(source)
  if ('faults' in read) throw new CommandFailed(faultsText(file, read.faults))
  return { source, program: read.program }
}

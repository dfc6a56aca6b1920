import { readProgram } from '../points/program.ts'
import type { Program } from '../points/program-model.ts'
import { type FileFault, readYaml } from './yaml-text.ts'

/** Reads the text of a program file, YAML or JSON, or lists every fault at once with path and line. */
export function readProgramText(text: string): { program: Program } | { faults: readonly FileFault[] } {
  const written = readYaml(text)
  if ('faults' in written) return written
  const read = readProgram(written.value)
  return 'program' in read ? read : { faults: read.faults.map(written.withLine) }
}

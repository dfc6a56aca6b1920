import { costFault, readProgram } from '../points/program.ts'
import type { Program } from '../points/program-model.ts'
import { excessIn, type FileFault, readYaml } from './yaml-text.ts'

type ReadProgram = { program: Program } | { faults: readonly FileFault[] }

/** Reads the text of a program that is to be published, YAML or JSON, or lists every fault at once with path and line. */
export function readProgramText(text: string): ReadProgram {
  return read(text, costFault)
}

/** The same of a program that was published once: what its conditions cost was judged then. */
export function readStoredProgram(text: string): ReadProgram {
  return read(text, () => undefined)
}

function read(text: string, judge: (program: Program) => FileFault | undefined): ReadProgram {
  const excess = excessIn(text)
  if (excess !== undefined) return { faults: [excess] }
  const written = readYaml(text)
  if ('faults' in written) return written
  const read = readProgram(written.value)
  if ('faults' in read) return { faults: read.faults.map(written.withLine) }
  const fault = judge(read.program)
  return fault === undefined ? read : { faults: [written.withLine(fault)] }
}

import { styleText } from 'node:util'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { OperatorError } from '../../errors.ts'
import type { Client } from '../client.ts'
import { readFile, readVersion } from './program.ts'

/** Two of the largest programs (200,000 characters, 6,600 lines) with nothing in common took 6 s; larger files take their square. */
const DIFF_TIMEOUT_MS = 20_000

/** Whether a name stands for a published version; everything else is a file (`./7` for one that is called 7). */
export function namesVersion(name: string): boolean {
  return name === 'current' || /^\d+$/.test(name)
}

/**
 * `laurel program diff`: what changes from one program to another, as a unified diff of their texts. `client` may be absent where both are files.
 * Errors: Refused where there is no such version, OperatorError where there is no such file.
 */
export async function diffPrograms(from: string, to: string, client?: Client): Promise<void> {
  const [before, after] = [await textOf(from, client), await textOf(to, client)]
  if (before.text === after.text) {
    process.stdout.write('no difference\n')
    return
  }
  const patch = createTwoFilesPatch(before.label, after.label, before.text, after.text, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: DIFF_TIMEOUT_MS,
  })
  if (patch === undefined) throw new OperatorError(`${from} and ${to} are too large and too different to be compared`)
  process.stdout.write(patch.split('\n').map(coloured).join('\n'))
}

async function textOf(name: string, client: Client | undefined): Promise<{ label: string; text: string }> {
  if (client === undefined || !namesVersion(name)) return { label: name, text: readFile(name) }
  const { version, source } = await readVersion(client, name)
  return { label: `version ${version}`, text: source }
}

/** A line of a diff in its usual colour, where standard output is a terminal that shows colours. */
function coloured(line: string, index: number): string {
  const style = index < 2 ? 'bold' : ({ '+': 'green', '-': 'red', '@': 'cyan' } as const)[line.slice(0, 1)]
  return style === undefined ? line : styleText(style, line, { stream: process.stdout })
}

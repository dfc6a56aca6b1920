import { OperatorError } from '../../../errors.ts'
import { diffPrograms } from '../../../resources/program-checks/diff-programs.ts'
import { escapeControlsInLines } from '../../../text.ts'
import { type Client, withClient } from '../../client.ts'
import { readTextFile } from '../../input/text-file.ts'
import { coloured, printColoured, printJson, printLine } from '../../output/print.ts'

/** One of the two programs: its name on the command line and in the diff, and its text. */
type Side = Readonly<{ name: string; label: string; text: string }>

/** Two of the largest programs (200,000 characters, 6,600 lines) with nothing in common took 6 s; the time grows with the square of the size. */
const DIFF_TIMEOUT_MS = 20_000

/**
 * `laurel program diff`: what changes from one program to another, or, if only one is named, from the one in effect to it, as a unified
 * diff of their texts. Needs a service only where a version is named.
 *
 * Errors: CommandFailed if there is no such version, OperatorError if there is no such file.
 */
export async function programDiff(
  first: string,
  second: string | undefined,
  { url, json = false }: { url?: string; json?: boolean },
): Promise<void> {
  const [from, to] = second === undefined ? ['current', first] : [first, second]
  if (isVersion(from) || isVersion(to))
    await withClient(url, async (client) => printDiff(await sideOf(from, client), await sideOf(to, client), json))
  else await printDiff(fileSide(from), fileSide(to), json)
}

/** Whether a name stands for a published version; anything else is a file (`./7` for one that is called 7). */
function isVersion(name: string): boolean {
  return name === 'current' || /^\d+$/.test(name)
}

async function sideOf(name: string, client: Client): Promise<Side> {
  if (!isVersion(name)) return fileSide(name)
  const { version, source } = await client.call('GET /api/admin/programs/:version', { params: { version: name } })
  return { name, label: `version ${version}`, text: source }
}

function fileSide(name: string): Side {
  return { name, label: name, text: readTextFile(name) }
}

async function printDiff(before: Side, after: Side, json: boolean): Promise<void> {
  const patch = await patchOf(before, after)
  if (json) printJson({ from: before.label, to: after.label, equal: patch === '', patch })
  else if (patch === '') printLine`no difference`
  else printColoured(escapeControlsInLines(patch).split('\n').map(lineInColour).join('\n'))
}

async function patchOf(before: Side, after: Side): Promise<string> {
  const patch = await diffPrograms(before, after, DIFF_TIMEOUT_MS)
  if (patch === undefined)
    throw new OperatorError(`${before.name} and ${after.name} are too large and too different to be compared`)
  return patch
}

/** A line of a diff in its usual colour. */
function lineInColour(line: string, index: number): string {
  const style = index < 2 ? 'bold' : ({ '+': 'green', '-': 'red', '@': 'cyan' } as const)[line.slice(0, 1)]
  return style === undefined ? line : coloured(style, line)
}

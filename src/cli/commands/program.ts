import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { readProgramText } from '../../ingest/program-text.ts'
import type { FileFault } from '../../ingest/yaml-text.ts'
import type { Program } from '../../points/program-model.ts'
import { type Client, CommandFailed } from '../client.ts'
import { table } from '../output/table.ts'

/** A file that is no program at all has as many faults as words. */
const FAULTS_SHOWN_MAX = 50

type Listed = {
  version: number
  name: string
  holds_from: string
  holds_now: boolean
  publisher: string
  published_at: string
  note: string
  withdrawn_at: string | null
}

/** `laurel program show`: a version's file as it was published, so that `laurel program show > program.yaml` is a file to start from. */
export async function programShow(client: Client, version: string): Promise<void> {
  process.stdout.write((await readVersion(client, version)).source)
}

/** A version by its number or as `current`, with its file. */
export async function readVersion(client: Client, version: string): Promise<{ version: number; source: string }> {
  return (await client.call('GET', `/api/admin/programs/${encodeURIComponent(version)}`)) as {
    version: number
    source: string
  }
}

/** `laurel program list`: every version, the one that holds now and those that were withdrawn marked. */
export async function programList(client: Client, json: boolean): Promise<void> {
  const { programs } = (await client.call('GET', '/api/admin/programs')) as { programs: Listed[] }
  if (json) {
    process.stdout.write(`${JSON.stringify(programs, null, 2)}\n`)
    return
  }
  const rows = programs.map(({ version, name, holds_from, holds_now, publisher, published_at, note, withdrawn_at }) => [
    String(version),
    name,
    holds_from === '-infinity' ? 'always' : holds_from,
    withdrawn_at !== null ? 'withdrawn' : holds_now ? 'holds now' : '',
    publisher,
    published_at,
    note,
  ])
  process.stdout.write(table(['version', 'name', 'holds from', '', 'publisher', 'published', 'note'], rows))
}

/** `laurel program check`: every fault of a file at once, each with its line and path. Needs no service and no database. */
export function programCheck(file: string): void {
  readChecked(file)
  process.stdout.write(`${file}: no faults\n`)
}

/** `laurel program publish`: checks a file, and publishes it as the next version. */
export async function programPublish(
  client: Client,
  file: string,
  wish: { from?: string | undefined; note?: string | undefined },
): Promise<void> {
  const { source } = readChecked(file)
  const published = (await client.call('POST', '/api/admin/programs', {
    source,
    from: wish.from,
    note: wish.note,
  })) as { version: number; name: string; from: string }
  process.stdout.write(`${published.name} is version ${published.version} and holds from ${published.from}\n`)
}

/** `laurel program withdraw`: takes back a version whose moment lies ahead. */
export async function programWithdraw(client: Client, version: string): Promise<void> {
  await client.call('POST', `/api/admin/programs/${encodeURIComponent(version)}/withdraw`)
  process.stdout.write(`version ${version} is withdrawn and will not hold\n`)
}

/** The text of a program file without faults, and what it says. Errors: Refused with all faults in its message, OperatorError where there is no file. */
export function readChecked(file: string): { source: string; program: Program } {
  const source = readFile(file)
  const read = readProgramText(source)
  if ('faults' in read) throw new CommandFailed(400, faultsText(file, read.faults))
  return { source, program: read.program }
}

/** The text of a file. Errors: OperatorError. */
export function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Writes a text to a file, and makes its directory. Errors: OperatorError. */
export function writeFile(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    throw new OperatorError(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** How many faults a file has, and the first of them, each on a line of its own. */
export function faultsText(file: string, faults: readonly FileFault[]): string {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`
  const more = faults.length - FAULTS_SHOWN_MAX
  return [
    `${file} has ${count}`,
    ...faults.slice(0, FAULTS_SHOWN_MAX).map(lineFor),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}

function lineFor({ line, path, error }: FileFault): string {
  return `  ${line === undefined ? '' : `line ${line}: `}${path === '' ? '' : `${path}: `}${error}`
}

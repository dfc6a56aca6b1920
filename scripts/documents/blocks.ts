/*
 * The blocks of documents that `npm run documents` writes. To add one, put its markers into the document, and a line into BLOCKS.
 */
import { readFileSync } from 'node:fs'
import { type ApiDescription, apiBlocks } from './api-tables.ts'
import { blocksWrittenBy, withBlock } from './marked-block.ts'
import { logEventsTable, metricsTable, rolesTable, settingsTable } from './operating.ts'

const api: ApiDescription = JSON.parse(readFileSync(new URL('../../schemas/openapi.json', import.meta.url), 'utf8'))

const COMMAND = 'npm run documents'

type Block = Readonly<{ document: string; name: string; text: () => string | Promise<string> }>

export const BLOCKS: readonly Block[] = [
  { document: 'docs/operating.md', name: 'settings', text: settingsTable },
  { document: 'docs/operating.md', name: 'roles', text: rolesTable },
  { document: 'docs/operating.md', name: 'log events', text: logEventsTable },
  { document: 'docs/operating.md', name: 'metrics', text: metricsTable },
  ...apiBlocks(api),
]

/** Every document that has such blocks, as it should be. Throws if it lacks the markers of a block. */
export async function writeBlocks(
  readDocument: (path: string) => string,
): Promise<readonly Readonly<{ path: string; text: string }>[]> {
  const documents = new Map<string, string>()
  for (const { document, name, text } of BLOCKS) {
    const before = documents.get(document) ?? readDocument(document)
    documents.set(document, withBlock(before, { name, command: COMMAND }, await text()))
  }
  return [...documents].map(([path, text]) => ({ path, text }))
}

/** The names of such blocks in a document. */
export function namesOfBlocks(document: string): string[] {
  return blocksWrittenBy(COMMAND, document)
}

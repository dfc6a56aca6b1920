/*
 * The log levels in docs/operating.md are those that the logger uses.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { logObservations, logOptions } from '../../src/telemetry/logger.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { readDocument } from '../support/docs-blocks.ts'

/** The names of a row and their level. The head of the table is left out; its second cell has a capital. */
const ROW = /^\| ((?:`[\w-]+`(?:, )?)+) \| ([a-z][^|]+) \|/gm

test('docs/operating.md gives every log line the level that it has', () => {
  const [, section = ''] = readDocument('docs/operating.md').split(/^## Logs$/m)
  const rows = [...section.split(/^## /m)[0]!.matchAll(ROW)].flatMap(([, names, level]) =>
    names!.split(', ').map((name) => ({ name: name.replaceAll('`', ''), level: level!.trim() })),
  )
  assert(rows.length > 10, 'the table was not found')
  assert.deepEqual(
    rows,
    rows.map(({ name }) => ({ name, level: levelOf(name) })),
  )
})

/** The level as the table writes it, and, where it differs, the level for answers that report a failure of the service. */
function levelOf(kind: string): string {
  const [usual, failed] = [200, 500].map((status) => levelLogged({ kind, status } as unknown as Observation))
  return usual === failed ? usual! : `${usual}; ${failed} from status 500`
}

function levelLogged(observation: Observation): string {
  const lines: string[] = []
  logObservations(pino(logOptions('debug'), { write: (line: string) => lines.push(line) }))(observation)
  assert.equal(lines.length, 1, observation.kind)
  return JSON.parse(lines[0]!).level
}

/*
 * The levels of docs/operating.md are those that the logger gives.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { logObservations, logOptions } from '../../src/telemetry/logger.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { readDocument } from '../support/docs-blocks.ts'

/** The names of a row and their level; the head of the table, whose second cell has a capital, is none. */
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

/** As the table writes it: the level, and what it is for an answer that says the service failed where that is another. */
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

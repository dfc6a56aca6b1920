import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { runCommand } from '../support/run-command.ts'

type Outcome = Readonly<{ wish: string; shows?: string; cured?: 'message' | 'message mended' | 'document mended' }>

const WISHES = new URL('./wishes/', import.meta.url)

test('programs for wishes of shops, as first written from the documents alone, are right or are told what to write', async () => {
  const outcomes: readonly Outcome[] = parse(readFileSync(new URL('outcomes.yaml', WISHES), 'utf8'))
  assert.equal(outcomes.length, 8)
  for (const { wish, shows, cured } of outcomes) {
    const args = ['program', 'check', `${wish}.yaml`, '--cases', `${wish}.cases.yaml`]
    const { code, stdout, stderr } = await runCommand(args, {}, { cwd: fileURLToPath(WISHES) })
    assert.equal(code, shows === undefined ? 0 : 1, wish + stderr)
    assert.equal(cured === undefined, shows === undefined, wish)
    assert(`${stdout}${stderr}`.includes(shows ?? 'all as expected'), `${wish}: ${stdout}${stderr}`)
  }
})

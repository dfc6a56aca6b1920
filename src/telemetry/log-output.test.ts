import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test from 'node:test'
import { createLogOutput } from './log-output.ts'

test('a line that cannot be written to a file is counted, and later ones are written: a disk may be full for a while', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-log-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const log = join(directory, 'log')
  const program = `
    import { truncateSync } from 'node:fs'
    import { createLogOutput } from ${JSON.stringify(new URL('./log-output.ts', import.meta.url).href)}
    const output = createLogOutput(process.stdout)
    for (let count = 0; output.droppedLines() === 0 && count < 100; count += 1) {
      output.write('x'.repeat(500))
      await new Promise((resolve) => setImmediate(resolve))
    }
    truncateSync(${JSON.stringify(log)})
    output.write('after')
    await output.flush(1000)
    process.stderr.write(String(output.droppedLines()))`
  // Files of this shell cannot grow beyond 8 blocks of 512 or 1,024 bytes.
  const shell = `ulimit -f 8; exec "$0" --input-type=module -e "$1" >> "$2"`
  const { stderr } = spawnSync('sh', ['-c', shell, process.execPath, program, log], { encoding: 'utf8' })
  assert.deepEqual([stderr, readFileSync(log, 'utf8')], ['1', 'after'])
})

test('once the reader is gone, all lines are dropped, and nothing waits for it', async () => {
  const stream = new Writable({
    write: (_line, _, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
  })
  const output = createLogOutput(stream)
  output.write('a')
  await new Promise((resolve) => setImmediate(resolve))
  for (const line of ['b', 'c']) output.write(line)
  await output.flush(60_000)
  assert.equal(output.droppedLines(), 2)
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { installedNode, platformProblem } from '../../bin/platform.js'
import { PROJECT } from '../support/docs-blocks.ts'

const run = promisify(execFile)

const on = (platform: string, arch: string, node: string) => ({ platform, arch, versions: { node } })

test('where Laurel cannot run, one sentence says what to do', () => {
  const windows = 'Windows is not supported: run Laurel in WSL2 or in a container'
  const cases = [
    [on('linux', 'x64', '26.0.0'), undefined, undefined],
    [on('linux', 'x64', '22.18.0'), '/there/bin/node', undefined],
    [on('darwin', 'x64', '26.10.0'), undefined, undefined],
    [on('win32', 'x64', '26.10.0'), undefined, windows],
    [
      on('linux', 'x64', '24.0.0'),
      undefined,
      'Node 26 is required, but the one that npm installs with Laurel is missing: run npm ci, or npm install',
    ],
    [
      on('darwin', 'x64', '24.0.0'),
      undefined,
      'Node 26 is required, and npm has none for Intel Macs: install it from nodejs.org and start again',
    ],
    [
      on('linux', 'riscv64', '20.0.0'),
      undefined,
      'Node 26 is required, and npm has none for linux riscv64: install it from nodejs.org and start again',
    ],
  ] as const
  for (const [process, installed, problem] of cases)
    assert.equal(
      platformProblem(process, () => installed),
      problem,
      JSON.stringify(process),
    )
})

test('the Node that npm installs with Laurel runs it, and npm start checks the platform before anything else', async () => {
  const { stdout } = await run(installedNode()!, ['--version'])
  assert.match(stdout, /^v26\./)
  const { default: project } = await import('../../package.json', { with: { type: 'json' } })
  assert.match(project.scripts.prestart, /^node bin\/platform\.js && /)
  await run(process.execPath, [join(PROJECT, 'bin/platform.js')])
})

#!/usr/bin/env node
/*
 * Where a command starts: in this process where its Node can run TypeScript, else with the Node that was installed beside it.
 * This file is no TypeScript, so that what compiles TypeScript is not even loaded where everything has been compiled before.
 */
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 26) {
  // Node keeps what it compiles beside the packages; where nothing can be written there, nothing is kept.
  module.enableCompileCache(pathOf('../node_modules/.cache/laurel'))
  const { runCommandLine } = await import('../src/cli/laurel.ts')
  const code = await runCommandLine(process.argv.slice(2))
  if (code !== undefined) process.exit(code)
} else await runWithInstalledNode()

async function runWithInstalledNode() {
  const [{ spawn }, { existsSync }] = await Promise.all([import('node:child_process'), import('node:fs')])
  const node = pathOf('../node_modules/.bin/node')
  if (!existsSync(node)) {
    console.error('laurel: Node 26 is required, but the one that npm ci installs is missing: run npm ci')
    process.exit(2)
  }
  const child = spawn(node, ['--disable-sigusr1', pathOf('laurel.js'), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}

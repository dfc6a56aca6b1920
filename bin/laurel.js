#!/usr/bin/env node
/*
 * Where a command starts: in this process if its Node is new enough, else with the Node that was installed with it. A clone runs its TypeScript;
 * a package carries what was built from it instead, as Node runs no TypeScript below node_modules.
 * This file is no TypeScript, so that what compiles TypeScript is not even loaded where everything has been compiled before.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 26) {
  // Node keeps what it compiles beside the packages; where nothing can be written there, nothing is kept.
  module.enableCompileCache(pathOf('../node_modules/.cache/laurel'))
  const { runCommandLine } = await import(
    existsSync(pathOf('../src')) ? '../src/cli/laurel.ts' : '../dist/cli/laurel.js'
  )
  const code = await runCommandLine(process.argv.slice(2))
  if (code !== undefined) process.exit(code)
} else await runWithInstalledNode()

async function runWithInstalledNode() {
  const { spawn } = await import('node:child_process')
  const require = module.createRequire(import.meta.url)
  const nodeIn = (name) => {
    try {
      return require.resolve(`${name}/bin/node`)
    } catch {
      return undefined // It is for another platform.
    }
  }
  const { optionalDependencies } = require('../package.json')
  const node = Object.keys(optionalDependencies).map(nodeIn).find(Boolean)
  if (node === undefined) {
    console.error(
      'laurel: Node 26 is required, but the one that npm installs with Laurel is missing: run npm ci, or npm install',
    )
    process.exit(2)
  }
  const child = spawn(node, ['--disable-sigusr1', pathOf('laurel.js'), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}

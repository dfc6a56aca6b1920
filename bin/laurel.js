#!/usr/bin/env node
/*
 * Where a command starts: in this process if its Node is new enough, else with the Node that was installed with it. A clone runs its TypeScript;
 * a package carries what was built from it instead, as Node runs no TypeScript below node_modules.
 * This file is no TypeScript, so that what compiles TypeScript is not even loaded where everything has been compiled before.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { assertPlatform, installedNode, runsLaurel } from './platform.js'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))

assertPlatform()
if (runsLaurel(process)) {
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
  const argv = ['--disable-sigusr1', pathOf('laurel.js'), ...process.argv.slice(2)]
  const child = spawn(installedNode(), argv, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => {
    console.error(
      `laurel: the Node that npm installs with Laurel does not start here (${message}): install Node 26 from nodejs.org`,
    )
    process.exit(2)
  })
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}

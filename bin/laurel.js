#!/usr/bin/env node
// Starts the command with the Node that was installed beside it: the machine's own may be too old to run TypeScript.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const own = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 26) {
  await import('../src/cli/main.ts')
} else if (existsSync(own)) {
  const child = spawn(own, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
} else {
  console.error('laurel: Node 26 is needed, and the one that npm ci installs is not there: run npm ci')
  process.exit(2)
}

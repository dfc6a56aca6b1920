/*
 * The packages that Laurel is compared with: bench/package.json, with a lock file of its own, so that nobody installs them who does not measure.
 * What imports them is in bench/others. `npm run types` leaves it out; once they are installed, `tsc -p bench` checks it.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import peers from './package.json' with { type: 'json' }
import { logProgress } from './progress.ts'

/** Installs the packages unless these versions are there. Errors: Error if npm fails. */
export function installPeers(): void {
  if (Object.entries(peers.dependencies).every(([name, version]) => installedVersion(name) === version)) return
  logProgress('installing the packages to compare with: npm ci --prefix bench')
  execFileSync('npm', ['ci', '--prefix', import.meta.dirname], { stdio: ['ignore', 2, 2] })
}

function installedVersion(name: string): string | undefined {
  const file = join(import.meta.dirname, 'node_modules', name, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : undefined
}

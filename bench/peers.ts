/*
 * The packages that Laurel is compared with: bench/package.json, with a lock file of its own, so that nobody installs them who does not measure.
 * What imports them is in bench/others. `npm run types` leaves those files out; once the packages are installed, `tsc -p bench` checks them.
 */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { logProgress } from './progress.ts'

/** Installs the packages unless that was done since bench/package-lock.json changed. Errors: Error if npm cannot be run, or fails. */
export function installPeers(): void {
  // npm writes the first of these files last.
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return
  logProgress('installing the packages to compare with: npm ci --prefix bench')
  try {
    execFileSync('npm', ['ci', '--prefix', import.meta.dirname], { stdio: ['ignore', 2, 2] })
  } catch (cause) {
    throw new Error('the packages to compare with could not be installed: run npm ci --prefix bench', { cause })
  }
}

/** When a file in this folder was last changed, in milliseconds; 0 if there is none. */
function changedAt(file: string): number {
  return statSync(join(import.meta.dirname, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

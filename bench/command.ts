/*
 * What the commands of the benchmark share: options, and what a result says about where it was measured.
 */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { InvalidArgumentError, Option } from 'commander'
import type { Database } from './testbed.ts'

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be an integer greater than 0.')
  return Number(text)
}

/** A number above 0, such as `0.5`. */
export function positive(text: string): number {
  if (!/^\d{1,9}(\.\d+)?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('It must be a number greater than 0.')
  return Number(text)
}

export function databaseOption(): Option {
  return new Option('--database <name>', 'which database').choices(['embedded', 'postgres', 'both']).default('both')
}

/** The databases that `--database` names. */
export function databasesOf(name: Database | 'both'): readonly Database[] {
  return name === 'both' ? ['postgres', 'embedded'] : [name]
}

export function machine(): string {
  const [cpu] = cpus()
  return `${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'}), Node ${process.versions.node}, ${process.platform} ${process.arch}`
}

/** The commit of a checkout. */
export function commitOf(checkout: string): string {
  try {
    const options = { cwd: checkout, encoding: 'utf8' } as const
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], options).trim()
  } catch {
    return 'unknown' // A downloaded tarball of the project has no git history.
  }
}

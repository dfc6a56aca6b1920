/*
 * The arguments of campaigns: invalid ones are refused with a sentence and exit code 2, and `--help` explains them.
 */
import { Command, InvalidArgumentError, Option } from 'commander'

const DATABASES = ['embedded', 'postgres'] as const
export type CampaignDatabase = (typeof DATABASES)[number]

/** The command of a campaign, which adds its own options. `purpose` is the first line of `--help`. */
export function campaignCommand(name: string, purpose: string): Command {
  return new Command(`npm run campaign:${name} --`)
    .description(purpose)
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
}

/** `--database embedded`, `postgres` or `both`, as a list. */
export function databaseOption(fallback: CampaignDatabase | 'both' = 'both'): Option {
  return new Option('--database <which>', `${DATABASES.join(', ')} or both`)
    .default(readDatabases(fallback), fallback)
    .argParser(readDatabases)
}

function readDatabases(text: string): readonly CampaignDatabase[] {
  const found = DATABASES.filter((one) => text === one || text === 'both')
  if (found.length === 0) throw new InvalidArgumentError(`Expected ${DATABASES.join(', ')} or both.`)
  return found
}

/** Reads a whole number from `min` on. */
export function wholeFrom(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min)
      throw new InvalidArgumentError(`Expected an integer of at least ${min}.`)
    return value
  }
}

/** Reads a number above 0. */
export function readPositive(text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0) throw new InvalidArgumentError('Expected a number greater than 0.')
  return value
}

/** Reads numbers above 0 with commas between them. */
export function readPositives(text: string): readonly number[] {
  return text.split(',').map(readPositive)
}

/** Runs a campaign, and exits with 1 if it fails. */
export async function runCampaign(campaign: () => Promise<unknown>): Promise<never> {
  try {
    await campaign()
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
  process.exit(0)
}

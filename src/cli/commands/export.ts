import type { Command } from 'commander'
import { ALL, EXPORT_NOUNS } from '../../resources/exports/nouns.ts'
import { completedArgument, loadedFrom } from '../command-parts.ts'

export function defineExport(command: Command): void {
  command
    .addArgument(completedArgument('<noun>', [...EXPORT_NOUNS, ALL]))
    .argument('<file>', 'file to write, which must not exist; - is standard output')
    .option('--format <name>', 'csv or ndjson (default: by file extension, else ndjson)')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(loadedFrom(async () => (await import('./export-file.ts')).exportFile))
}

const EXAMPLES = `
The file has personal data. Everything in it is as of one moment; the service can run meanwhile:
  laurel export players players.csv
  laurel export all shop.ndjson
  laurel export orders - --format csv | gzip > orders.csv.gz
docs/operating.md says more.`

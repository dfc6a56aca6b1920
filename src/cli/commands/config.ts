import type { Command } from 'commander'
import { describeConfig } from '../../config.ts'
import { printJson, printText, table } from '../output/print.ts'

export function defineConfig(command: Command): void {
  command.option('--json', 'as JSON').action(showConfig)
}

/** `laurel config`: every setting in effect; secrets are not shown. */
function showConfig({ json }: { json?: true }): void {
  const settings = describeConfig()
  if (json) {
    printJson(settings)
    return
  }
  const rows = settings.map(({ name, value, unit, origin, about }) => [name, value, unit, origin, about])
  printText(table(['setting', 'value', 'unit', 'origin', 'description'], rows))
}

import { describeConfig } from '../../config.ts'
import { printJson } from '../output/print.ts'
import { table } from '../output/table.ts'

/** `laurel config`: every setting in effect; secrets are not shown. */
export function showConfig({ json }: { json?: true }): void {
  const settings = describeConfig()
  if (json) {
    printJson(settings)
    return
  }
  const rows = settings.map(({ name, value, unit, origin, about }) => [name, value, unit, origin, about])
  process.stdout.write(table(['setting', 'value', 'unit', 'origin', 'what it is'], rows))
}

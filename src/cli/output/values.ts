import { escapeControls } from '../../operations/reports/text.ts'

/** Names and values below each other, the values in a column; control characters of a stored text are shown, as on a terminal they would be commands. */
export function printValues(values: Readonly<Record<string, unknown>>): void {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  for (const [name, value] of Object.entries(values))
    process.stdout.write(
      `${name.padEnd(width)}  ${escapeControls(value === null ? '' : String(value))}`.trimEnd().concat('\n'),
    )
}

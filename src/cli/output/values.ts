import { escapeControls } from '../../text.ts'

/** Prints names and values in two columns; control characters of stored texts are escaped, as a terminal would obey them. */
export function printValues(values: Readonly<Record<string, unknown>>): void {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  for (const [name, value] of Object.entries(values))
    process.stdout.write(
      `${name.padEnd(width)}  ${escapeControls(value === null ? '' : String(value))}`.trimEnd().concat('\n'),
    )
}

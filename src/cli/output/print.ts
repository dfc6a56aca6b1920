/** Prints a value as JSON, for programs, but indented so that people can read it, too. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

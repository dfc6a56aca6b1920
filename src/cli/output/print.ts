/** Prints a value for programs: as JSON, with an indentation that people can read, too. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

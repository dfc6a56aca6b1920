/*
 * The commands of the command line, read from the program itself.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { PROJECT } from './docs-blocks.ts'

/** Each command with the file that defines it and the function that does: the list in laurel.ts. */
export function listedDefinitions() {
  const listed = readFileSync(join(PROJECT, 'src/cli/laurel.ts'), 'utf8').matchAll(
    /^ {2}(\w+): async \(\) => \(await import\('\.\/(commands\/[\w-]+\.ts)'\)\)\.(define\w+),$/gm,
  )
  return [...listed].map(([, name, file, define]) => ({ name: name!, path: `src/cli/${file}`, define: define! }))
}

/** Each command as its own file defines it, without the commands around it. */
export function definedCommands(): Promise<Command[]> {
  return Promise.all(
    listedDefinitions().map(async ({ name, path, define }) => {
      const command = new Command(name)
      const file: Readonly<Record<string, (command: Command) => void>> = await import(join(PROJECT, path))
      file[define]!(command)
      return command
    }),
  )
}

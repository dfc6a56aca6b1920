/*
 * What the definitions of commands are made of: options, arguments and actions of several commands.
 */
import { Argument } from 'commander'

/** Of every command that talks to a service. */
export const URL_OPTION = ['--url <url>', 'URL of the service (default: the local service, else the database)'] as const

/** Reads an option that may be given several times: the list of its values. */
export function collected(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

/** An argument whose words are completed. The command itself refuses others. */
export function completedArgument(name: string, words: readonly string[]): Argument {
  return Object.assign(new Argument(name), { argChoices: [...words] })
}

/** The action of a command that needs much code: its file is loaded when it runs, and not for its help. */
export function loadedFrom<Args extends unknown[]>(load: () => Promise<(...args: Args) => Promise<void> | void>) {
  return async (...args: Args): Promise<void> => (await load())(...args)
}

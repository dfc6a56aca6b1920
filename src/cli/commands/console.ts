import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors.ts'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { findRunningService } from '../data-directory.ts'
import { noteLine, printJson, printLine } from '../output/print.ts'
import { consoleLink } from '../service-address.ts'

export function defineConsole(command: Command): void {
  command
    .option(...URL_OPTION)
    .option('--token <id>', 'token ID of the session (default: the token of this command)')
    .option('--json', 'as JSON')
    .action(printConsoleLink)
}

type ConsoleLinkOptions = Readonly<{ url?: string; token?: string; json?: true }>

/** `laurel console`: a link that signs in once. It goes to standard output alone; its code is printed nowhere else. */
async function printConsoleLink({ url, token, json }: ConsoleLinkOptions): Promise<void> {
  const config = readConfig()
  const running = url === undefined ? await findRunningService(config) : undefined
  if (url === undefined && running === undefined && config.databaseUrl === undefined)
    throw new OperatorError('no running service found: run npm start, or pass --url')
  await withClient(url, async (client) => {
    const { code, token_id, expires_at } = await client.call('POST /api/admin/sign-in-codes', {
      data: token === undefined ? {} : { token_id: token },
    })
    const { host, port, consolePort } = config
    const link = consoleLink(url ?? running?.consoleUrl ?? `http://${host}:${consolePort ?? port}`, code)
    if (json) return printJson({ link, token_id, expires_at })
    noteLine`one-time sign-in link to the console for token ${token_id}, valid until ${expires_at}:`
    printLine`${link}`
  })
}

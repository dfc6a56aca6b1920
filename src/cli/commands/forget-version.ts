import type { Command } from 'commander'
import type { VersionedRecordType } from '../../resources/state-versions/forget-version.ts'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { printJson, printLine } from '../output/print.ts'

/** `laurel order | player | product forget-version`: the next state is accepted, whatever its version. `id` is its argument. */
export function defineForgetVersion(parent: Command, recordType: VersionedRecordType, id: string): void {
  parent
    .command(`forget-version ${id}`)
    .description('accept the next state whatever its version, after one was sent too high')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action((recordId: string, options: ForgetVersionOptions) => forgetVersionOf(recordType, recordId, options))
}

type ForgetVersionOptions = Readonly<{ url?: string; json?: true }>

async function forgetVersionOf(
  recordType: VersionedRecordType,
  id: string,
  { url, json }: ForgetVersionOptions,
): Promise<void> {
  await withClient(url, async ({ call }) => {
    const forgotten = await call('POST /api/admin/state-versions/:noun/:id/forget', {
      params: { noun: recordType, id },
    })
    if (json) return printJson(forgotten)
    printLine`the next state of ${recordType} ${id} will be accepted, whatever its version`
  })
}

import { type OrderFindings, outOfOrderText } from './order-findings.ts'
import { printJson, printText } from './print.ts'
import type { KnownOfFile } from './reading-hints.ts'
import { createReasons, type Reasons } from './reasons.ts'
import { createSettingAdvice, type SettingAdvice } from './setting-advice.ts'

/** `ignored` are records without a value in a field of --ignore-without. */
export type ImportCounts = Record<'read' | 'inserted' | 'updated' | 'unchanged' | 'invalid' | 'ignored', number>

/** What became of the records of a file. */
export type ImportOutcome = Readonly<{
  counts: ImportCounts
  findings: OrderFindings
  reasons: Reasons
  advice: SettingAdvice
  /** What --leave-out took out of records. */
  leftOut: Reasons
}>

export function createOutcome(): ImportOutcome {
  return {
    counts: { read: 0, inserted: 0, updated: 0, unchanged: 0, invalid: 0, ignored: 0 },
    findings: { outOfOrder: 0, usedAgain: 0, example: undefined },
    reasons: createReasons(),
    advice: createSettingAdvice(),
    leftOut: createReasons(),
  }
}

/** `complete` is false if the import stopped early; `commands` would get more records accepted. */
type Ending = Readonly<{
  dryRun: boolean
  complete: boolean
  skippedPath: string
  /** Where the skipped records of an earlier run are now. */
  earlierPath: string | undefined
  dateFormat: string | undefined
  mapping: Required<Pick<KnownOfFile, 'columnsOf'>>
  commands: readonly string[]
  json: boolean
}>

export function printOutcome({ counts, findings, reasons, advice, leftOut }: ImportOutcome, ending: Ending): void {
  const { dryRun, complete, skippedPath, earlierPath, dateFormat, mapping, commands, json } = ending
  const { read, inserted, updated, unchanged, invalid, ignored } = counts
  const { outOfOrder, usedAgain } = findings
  const hints = reasons.hints({ columnsOf: mapping.columnsOf, dateFormat })
  if (json) {
    printJson({
      ...{ dry_run: dryRun, complete, read, inserted, updated, unchanged, skipped: invalid, ignored },
      ...(dryRun ? { out_of_order: outOfOrder, used_again: usedAgain } : {}),
      skipped_file: invalid === 0 ? null : skippedPath,
      earlier_skipped_file: invalid === 0 ? null : (earlierPath ?? null),
      reasons: reasons.list(),
      perhaps_needs: hints,
      left_out: leftOut.list(),
      other_settings: { would_save: advice.count(), with: advice.list(), commands },
    })
    return
  }
  const opening = `${dryRun ? 'Dry run, nothing was written: ' : ''}${complete ? '' : 'stopped early, '}`
  const records = read === 1 ? '1 record' : `${read} records`
  const lines = [
    `${opening}${records} read, ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ${invalid} skipped${ignored === 0 ? '' : `, ${ignored} ignored`}\n`,
    ...(dryRun && outOfOrder > 0 ? [`${outOfOrderText(outOfOrder)}\n`] : []),
    ...(invalid === 0 ? [] : [reasons.text()]),
    ...hints.map((option) => `perhaps the file needs ${option}\n`),
    ...(leftOut.list().length === 0 ? [] : [`left out of records:\n${leftOut.text()}`]),
    ...(advice.count() === 0 ? [] : [adviceText(advice, commands)]),
    ...(invalid === 0 ? [] : [`skipped records and reasons: ${skippedPath}\n`]),
    ...(invalid === 0 || earlierPath === undefined ? [] : [`those of an earlier run: ${earlierPath}\n`]),
  ]
  printText(lines.join(''))
}

function adviceText(advice: SettingAdvice, commands: readonly string[]): string {
  const who = advice.count() === 1 ? '1 of them is valid' : `${advice.count()} of them are valid`
  const how = commands.length === 0 ? ' (--dry-run shows what to type)' : ''
  const typed = commands.length === 0 ? '' : `so type:\n${commands.map((line) => `  ${line}\n`).join('')}`
  return `${who} under other settings${how}:\n${advice.text()}${typed}`
}

import { readProgramText } from '../../engine/ingest/program-text.ts'
import type { FileIssue } from '../../engine/ingest/yaml-text.ts'
import type { Program } from '../../engine/points/program-model.ts'
import { count } from '../../text.ts'
import { CommandFailed } from '../failure.ts'
import { readTextFile } from './text-file.ts'

/** The text of a valid program file, and the program. Errors: CommandFailed with all its issues, OperatorError if there is no such file. */
export function readProgramFile(file: string): { source: string; program: Program } {
  const source = readTextFile(file)
  const read = readProgramText(source)
  if ('issues' in read) throw new CommandFailed(issuesText(file, read.issues))
  return { source, program: read.program }
}

/** A file of another kind may have an issue for each of its words. */
const ISSUES_SHOWN_MAX = 20

/** How many issues a file has (a program, or test cases), and the first of them. */
export function issuesText(file: string, issues: readonly FileIssue[]): string {
  const more = issues.length - ISSUES_SHOWN_MAX
  return [
    `${file} has ${count(issues.length, 'error')}`,
    ...issues.slice(0, ISSUES_SHOWN_MAX).flatMap(linesOf),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}

/** The place, the issue, the line with a caret under the column, and the paragraph about it. */
function linesOf({ line, column, path, error, excerpt, see }: FileIssue): string[] {
  const place = line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `
  const paragraph = see === undefined ? '' : `see ${see}`
  const below = [excerpt, paragraph].filter((one) => one !== undefined && one !== '').join(' ')
  return [
    `  ${place}${path === '' ? '' : `${path}: `}${error}`,
    ...below.split('\n').flatMap((one) => (one === '' ? [] : [`    ${one}`])),
  ]
}

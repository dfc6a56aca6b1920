/*
 * The thread that checks programs, tries them on test orders and compares their texts.
 */
import { serveSideTasks } from '../../routing/side-task.ts'
import { checkProgram } from './check-program.ts'
import { type DiffSide, diffPrograms } from './diff-programs.ts'

/** What the thread is asked to do. */
export type CheckTask = Readonly<{ check: unknown } | { diff: readonly [from: DiffSide, to: DiffSide] }>

/** Longer diffs are for the command line. */
const DIFF_TIMEOUT_MS = 2_000

serveSideTasks(async (task: CheckTask) =>
  'check' in task ? checkProgram(task.check) : diffPrograms(...task.diff, DIFF_TIMEOUT_MS),
)

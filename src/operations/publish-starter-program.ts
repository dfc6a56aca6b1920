import { STARTER_PROGRAM } from '../points/starter-program.ts'
import type { Db } from '../store/db/transaction.ts'
import { insertFirstProgram } from '../store/programs.ts'

/** Publishes the starter program unless a program has been published before (docs/programs.md). Errors: Unavailable. */
export async function publishStarterProgram(db: Db, now: Date, deadlineAt: number): Promise<void> {
  const first = {
    name: 'Starter',
    note: 'the program of a new database',
    source: STARTER_PROGRAM,
    at: now.toISOString(),
  }
  await db.transaction((tx) => insertFirstProgram(tx, first), deadlineAt)
}

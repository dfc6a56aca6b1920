import type { Db } from '../../database/db/transaction.ts'
import { STARTER_PROGRAM } from '../../engine/points/starter-program.ts'
import { insertFirstProgram } from './store.ts'

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

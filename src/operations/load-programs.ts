import { OperatorError } from '../errors.ts'
import { readProgramText } from '../ingest/program-text.ts'
import type { PublishedProgram } from '../points/program-model.ts'
import { inOrderOfMoments } from '../points/programs.ts'
import { STARTER_PROGRAM } from '../points/starter-program.ts'
import type { Queryable } from '../store/db/driver.ts'
import { readerOf } from '../store/db/reader.ts'
import type { Db } from '../store/db/transaction.ts'
import { insertFirstProgram, type StoredProgram, selectPrograms } from '../store/programs.ts'

/** Publishes the starter program where no program was ever published (docs/programs.md). */
export async function publishStarterProgram(db: Db, now: Date, deadlineAt: number): Promise<void> {
  const first = {
    name: 'Starter',
    note: 'the program of a new database',
    source: STARTER_PROGRAM,
    at: now.toISOString(),
  }
  await db.transaction((tx) => insertFirstProgram(tx, first), deadlineAt)
}

/**
 * Every published version, read, in order of moments; withdrawn ones too, as orders may name them.
 * They were checked when they were published, so a fault is for the operator.
 */
export async function loadPrograms(db: Db, deadlineAt: number): Promise<PublishedProgram[]> {
  return await readPrograms(readerOf(db, deadlineAt))
}

/** The same, read where the caller reads. */
export async function readPrograms(db: Queryable): Promise<PublishedProgram[]> {
  return inOrderOfMoments((await selectPrograms(db)).map(readStored))
}

function readStored({ version, holds_from: from, source, withdrawn_at: withdrawnAt }: StoredProgram): PublishedProgram {
  const read = readProgramText(source)
  if ('program' in read)
    return { version, from, program: read.program, ...(withdrawnAt === null ? {} : { withdrawn: true }) }
  const [fault] = read.faults
  throw new OperatorError(`program version ${version} in the database cannot be read: ${fault?.path} ${fault?.error}`)
}

import { randomBytes } from 'node:crypto'
import { sqlFile } from './db/sql-file.ts'
import type { Db } from './db/transaction.ts'

const findSql = sqlFile(import.meta.url, 'secret-find')
const storeSql = sqlFile(import.meta.url, 'secret-store')

const BYTES = 32

/** A secret of this database, 32 random bytes; made when it is first needed. `deadlineAt` as in `Db`. Errors: Unavailable. */
export async function secretOf(db: Db, name: 'player-handles', deadlineAt: number): Promise<Buffer> {
  return db.transaction(async (tx) => {
    const find = () => tx.query<{ secret: string }>(findSql, [name])
    const [stored] = await find()
    if (stored !== undefined) return Buffer.from(stored.secret, 'hex')
    await tx.query(storeSql, [name, randomBytes(BYTES).toString('hex')])
    const [made] = await find()
    return Buffer.from(made!.secret, 'hex')
  }, deadlineAt)
}

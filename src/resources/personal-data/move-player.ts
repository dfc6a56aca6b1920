/*
 * Another id in place of a player's own, in every table of players.
 */
import { sqlFile } from '../../database/db/sql-file.ts'
import { TABLE_PLACES } from '../../database/db/table-places.ts'
import type { Tx } from '../../database/db/transaction.ts'
import type { OrderId, UserId } from '../../engine/points/units.ts'

const tablesSql = sqlFile(import.meta.url, 'person-tables')
const ownersSql = sqlFile(import.meta.url, 'person-move-owners')
const scanSql = sqlFile(import.meta.url, 'person-move-scan')
const backfillSql = sqlFile(import.meta.url, 'person-move-backfill')

const TABLES = Object.keys(TABLE_PLACES).filter((name) => TABLE_PLACES[name] === 'user_id')

/** Moves a player, who has these orders, to an id that nobody has. Errors: those of the database. */
export async function movePlayer(tx: Tx, oldId: UserId, newId: UserId, orderIds: readonly OrderId[]): Promise<void> {
  await tx.query(scanSql, [oldId])
  await tx.query(backfillSql, [oldId])
  await tx.query(ownersSql, [oldId, newId, orderIds])
  for (const { name: table, columns } of await tx.query<{ name: string; columns: string }>(tablesSql, [TABLES])) {
    await tx.query(sqlFile(import.meta.url, 'person-move-rows', { table, columns }), [oldId, newId])
    await tx.query(sqlFile(import.meta.url, 'person-delete-rows', { table }), [oldId])
  }
}

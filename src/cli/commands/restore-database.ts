import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../../config.ts'
import { backupFileText, restoreBackupFile } from '../../database/backup/backup-file.ts'
import { type LaterEnds, listPlayerIds, readLaterEnds, revokeTokens } from '../../database/backup/later-ends.ts'
import type { RestoredBackup } from '../../database/backup/restore.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import { OperatorError } from '../../errors.ts'
import { digestOf, otherErasureKey } from '../../ledger/erasures.ts'
import { count } from '../../text.ts'
import { withClient } from '../client.ts'
import { withNewDatabase } from '../database.ts'
import { printJson, printLine } from '../output/print.ts'
import { countingRows } from '../output/progress.ts'
import { openErasureKey } from '../serve/erasure-key.ts'
import { type Verified, verifyDatabase } from './ledger-verify.ts'

type RestoreOptions = Readonly<{ verify?: true; drill?: true; endedSince?: string; json?: true }>
/** What was ended again after a restore: tokens, and players by their ids. */
type EndedAgain = Readonly<{ tokens: number; players: readonly string[] }>

const TIMEOUT_MS = 3_600_000
const REASON = 'erased after the backup that was restored'

/** `laurel restore`: fills an empty database with a backup. Errors: OperatorError if it is not empty, or the file is damaged; CommandFailed. */
export async function restoreDatabase(
  path: string,
  { verify, drill, endedSince, json }: RestoreOptions,
): Promise<void> {
  if (drill) {
    const { backup, ...verified } = await drillRestore(path)
    if (json) return printJson({ as_of: backup.head.at, rows: backup.rows, verified: verified.document })
    printLine`${count(backup.rows, 'row')} as of ${backup.head.at}: restored, verified and deleted again`
    return printLine`${verified.text}`
  }
  const config = readConfig()
  // Read first: a damaged file must not be found out when everything is restored.
  const later = endedSince === undefined ? undefined : await readLaterEnds(backupFileText(endedSince))
  const { backup, verified, endedLater } = await withNewDatabase(config, async (db) => ({
    backup: await restored(db, path),
    verified: verify ? await verifyDatabase(db) : undefined,
    endedLater: later && (await findEnded(db, config, later)),
  }))
  const ended = endedLater && (await eraseAgain(endedLater))
  const { head, rows } = backup
  if (json)
    return printJson({
      ...{ as_of: head.at, rows, ...(verified && { verified: verified.document }) },
      ...(ended && { revoked_again: ended.tokens, erased_again: ended.players.length }),
    })
  printLine`restored: ${count(rows, 'row')}, as of ${head.at}`
  if (verified) printLine`${verified.text}`
  if (ended) printLine`ended again: ${count(ended.tokens, 'token')}, ${count(ended.players.length, 'player')}`
  else
    printLine`tokens that were revoked and players who were erased since then are back: restore with --ended-since, or end them again`
}

/** Revokes tokens, and finds the players to erase. Errors: OperatorError without the key with which they were erased. */
async function findEnded(db: Db, config: Config, { revoked, erased }: LaterEnds): Promise<EndedAgain> {
  const deadlineAt = performance.now() + TIMEOUT_MS
  const players: string[] = []
  if (erased.size > 0) {
    const key = openErasureKey(config, config.databaseUrl === undefined).find()
    if (key === undefined || !erased.has(digestOf(key, ''))) throw otherErasureKey()
    for await (const ids of listPlayerIds(readerOf(db, deadlineAt)))
      players.push(...ids.filter((id) => erased.has(digestOf(key, id))))
  }
  const tokens = await db.transaction((tx) => revokeTokens(tx, revoked), deadlineAt)
  return { tokens, players }
}

async function eraseAgain(ended: EndedAgain): Promise<EndedAgain> {
  if (ended.players.length > 0)
    await withClient(undefined, async ({ call }) => {
      for (const userId of ended.players)
        await call('POST /api/admin/players/:user_id/erase', {
          params: { user_id: userId },
          data: { reason: REASON },
          timeoutMs: TIMEOUT_MS,
        })
    })
  return ended
}

/** Restores a backup into a temporary database, verifies its ledger, and deletes it. Errors: OperatorError; CommandFailed with the differences. */
export async function drillRestore(path: string): Promise<Verified & Readonly<{ backup: RestoredBackup }>> {
  const directory = newTemporaryDirectory()
  try {
    const config = { ...readConfig(), databaseUrl: undefined, dataDirectory: directory }
    return await withNewDatabase(config, async (db) => {
      const backup = await restored(db, path)
      return { backup, ...(await verifyDatabase(db)) }
    })
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Errors: OperatorError. */
function newTemporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'laurel-drill-'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`cannot create a directory in ${tmpdir()} (${code}): set TMPDIR to another one`, {
      cause: error,
    })
  }
}

function restored(db: Db, path: string): Promise<RestoredBackup> {
  return countingRows((onRows) => restoreBackupFile(db, path, onRows))
}

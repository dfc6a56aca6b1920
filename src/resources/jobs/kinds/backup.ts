import type { OnRows } from '../../../database/backup/backup-text.ts'
import { Type } from '../../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { JOB_FILE_FIELDS, newJobFile } from '../job-files.ts'
import { jobKind } from '../job-kind.ts'

const { listOf, text, whole } = RESPONSE_PARTS

/** Writes a backup beside the embedded database, for the command that asked for it. */
export const backupJob = jobKind({
  scope: 'admin',
  worksOn: 'snapshot',
  result: Type.Object(
    {
      ...JOB_FILE_FIELDS,
      bytes: whole('size of the file'),
      tables: listOf(Type.Object({ table: text('table'), rows: whole('rows') }), 'rows by table'),
    },
    { title: 'BackupResult', description: 'A backup that was written' },
  ),
  fields: {},
  words: {
    title: 'BackupJob',
    description: 'Writes a backup of the embedded database into the data directory; `laurel backup` starts it',
    fields: {},
  },
  noteDone: async (tx, at) => (await import('../../../database/backup/last-backup.ts')).noteBackup(tx, at),
  run: async (_, { openDatabase, now, files, report }) => {
    const { file, path } = newJobFile(files, 'backup')
    const [{ statSync }, { writeBackupFile }, { default: project }] = await Promise.all([
      import('node:fs'),
      import('../../../database/backup/backup-file.ts'),
      import('../../../../package.json', { with: { type: 'json' } }),
    ])
    let ofTables: ReadonlyMap<string, number> = new Map()
    const onRows: OnRows = (rows, tables) => {
      ofTables = tables
      report([{ of: 'rows', done: rows, total: null }])
    }
    await writeBackupFile(await openDatabase(), path, { laurel: project.version, at: now, onRows })
    const tables = [...ofTables].map(([table, rows]) => ({ table, rows }))
    return { file, at: now, bytes: statSync(path).size, tables }
  },
})

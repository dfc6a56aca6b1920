import { Type } from '../../../engine/points/json-schema.ts'
import { OperatorError } from '../../../errors.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { jobKind } from '../job-kind.ts'

const { listOf, moment, text, whole } = RESPONSE_PARTS

/** Writes a backup beside the embedded database, for the command that asked for it. */
export const backupJob = jobKind({
  scope: 'admin',
  worksOn: 'snapshot',
  result: Type.Object(
    {
      file: text(
        'name of the file in `job-files` in the data directory; a job that begins a minute later or more deletes it',
      ),
      at: moment('when the job began; everything recorded before is in the file'),
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
    if (files === undefined)
      throw new OperatorError('on PostgreSQL, run laurel backup with DATABASE_URL set: it reads the server itself')
    const [{ randomUUID }, { statSync }, { join }, { writeBackupFile }, { default: project }] = await Promise.all([
      import('node:crypto'),
      import('node:fs'),
      import('node:path'),
      import('../../../database/backup/backup-file.ts'),
      import('../../../../package.json', { with: { type: 'json' } }),
    ])
    const rows = new Map<string, number>()
    const onRows = (table: string, count: number) => {
      rows.set(table, count)
      report([{ of: 'rows', done: sumOf(rows.values()), total: null }])
    }
    const file = `backup-${randomUUID()}`
    await writeBackupFile(await openDatabase(), join(files, file), { laurel: project.version, at: now, onRows })
    const tables = [...rows].map(([table, count]) => ({ table, rows: count }))
    return { file, at: now, bytes: statSync(join(files, file)).size, tables }
  },
})

function sumOf(numbers: Iterable<number>): number {
  let sum = 0
  for (const one of numbers) sum += one
  return sum
}

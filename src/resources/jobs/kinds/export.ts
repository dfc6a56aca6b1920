import { oneOf } from '../../../engine/ingest/fields.ts'
import { required } from '../../../engine/ingest/record.ts'
import { Type } from '../../../engine/points/json-schema.ts'
import { OperatorError } from '../../../errors.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { ALL, EXPORT_FORMATS, EXPORT_NOUNS } from '../../exports/nouns.ts'
import { jobKind } from '../job-kind.ts'

const { moment, text, whole } = RESPONSE_PARTS

/** Writes an export beside the embedded database, for the command that asked for it. */
export const exportJob = jobKind({
  scope: 'admin',
  worksOn: 'snapshot',
  result: Type.Object(
    {
      file: text(
        'name of the file in `job-files` in the data directory; a job that begins a minute later or more deletes it',
      ),
      at: moment('when the job began; everything recorded before is in the file'),
      rows: whole('records in the file'),
    },
    { title: 'ExportResult', description: 'An export that was written' },
  ),
  fields: { noun: required('noun', oneOf([...EXPORT_NOUNS, ALL])), format: required('format', oneOf(EXPORT_FORMATS)) },
  words: {
    title: 'ExportJob',
    description: 'Writes an export of the embedded database into the data directory; `laurel export` starts it',
    fields: { noun: 'what to export', format: 'format of the file' },
  },
  run: async ({ noun, format }, { openDatabase, now, files, report }) => {
    if (files === undefined)
      throw new OperatorError('on PostgreSQL, run laurel export with DATABASE_URL set: it reads the server itself')
    const [{ randomUUID }, { join }, { writeExportFile }] = await Promise.all([
      import('node:crypto'),
      import('node:path'),
      import('../../exports/export-records.ts'),
    ])
    let rows = 0
    const onRows = (done: number) => {
      rows = done
      report([{ of: 'rows', done, total: null }])
    }
    const file = `export-${randomUUID()}`
    await writeExportFile(await openDatabase(), join(files, file), { noun, format, onRows })
    return { file, at: now, rows }
  },
})

import { oneOf } from '../../../engine/ingest/fields.ts'
import { required } from '../../../engine/ingest/record.ts'
import { Type } from '../../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { ALL, EXPORT_FORMATS, EXPORT_NOUNS } from '../../exports/nouns.ts'
import { JOB_FILE_FIELDS, newJobFile } from '../job-files.ts'
import { jobKind } from '../job-kind.ts'

const { whole } = RESPONSE_PARTS

/** Writes an export beside the embedded database, for the command that asked for it. */
export const exportJob = jobKind({
  scope: 'admin',
  worksOn: 'snapshot',
  result: Type.Object(
    {
      ...JOB_FILE_FIELDS,
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
    const { file, path } = newJobFile(files, 'export')
    const { writeExportFile } = await import('../../exports/export-records.ts')
    let rows = 0
    const onRows = (done: number) => {
      rows = done
      report([{ of: 'rows', done, total: null }])
    }
    await writeExportFile(await openDatabase(), path, { noun, format, onRows })
    return { file, at: now, rows }
  },
})

/*
 * The responses of the routes of jobs.
 */
import { renamedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { type AnyJobResult, JOB_KINDS } from './kinds/index.ts'
import { JOB_KIND_NAMES } from './kinds/names.ts'
import { JOB_STATES } from './store.ts'

const { listOf, orNull, text, timestamp, timestampOrNull, whole } = RESPONSE_PARTS

/** a, b or c. */
const oneOfWords = (words: readonly string[]) => words.join(', ').replace(/, (?=[^,]*$)/, ' or ')

const requestedJob = {
  id: Type.String({ pattern: '^[0-9a-f]{12}$', description: 'job ID' }),
  kind: text(oneOfWords(JOB_KIND_NAMES)),
  ...renamedField('asked_by', 'requested_by', text('ID of the token that started it; service: started automatically')),
  ...renamedField('asked_at', 'requested_at', timestamp('when it was requested')),
}

const job = {
  ...requestedJob,
  state: Type.Enum([...JOB_STATES], {
    type: 'string',
    description: 'interrupted: its process ended; start the job again',
  }),
  began_at: timestampOrNull('when it began; null: not yet'),
  ended_at: timestampOrNull('when it ended; null: not yet'),
  snapshot_at: timestampOrNull('time of the data it reads; null: not yet, or it reads none'),
  pause_ms: orNull(
    whole('duration'),
    'how long copying the embedded database blocked all requests; null: nothing was copied',
  ),
  progress: listOf(
    Type.Object(
      {
        of: text('what is counted: orders, players, predictions, entries or kinds'),
        done: whole('number done'),
        total: orNull(whole('total number'), 'total number; null: unknown before the end'),
      },
      { title: 'JobProgress', description: 'The progress of a job in one unit' },
    ),
    'progress, updated every second',
  ),
  error: orNull(Type.String(), 'why it failed; null: it did not'),
}

const jobResponse = Type.Object(job, { title: 'Job', description: 'A job, without its result' })

export const JOB_RESPONSES = {
  'POST /api/admin/jobs': Type.Object(requestedJob, { title: 'AskedJob', description: 'A queued job' }),
  'GET /api/admin/jobs': Type.Object({ jobs: listOf(jobResponse, 'newest first') }),
  'GET /api/admin/jobs/:id': Type.Object(
    {
      ...job,
      result: Type.Unsafe<AnyJobResult | null>(
        Type.Union([...JOB_KIND_NAMES.map((kind) => JOB_KINDS[kind].result), Type.Null()], {
          description:
            'result of the kind of the job, as printed by laurel with --json; IDs are masked unless revealed; one kept by an earlier version may lack later fields; null: none yet',
        }),
      ),
    },
    { title: 'JobWithResult', description: 'A job with its result' },
  ),
  'POST /api/admin/jobs/:id/cancel': jobResponse,
} as const

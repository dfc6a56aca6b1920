/*
 * The answers of the routes of jobs.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { JOB_KIND_NAMES } from './kinds/names.ts'
import { JOB_STATES } from './store.ts'

const { listOf, orNull, text, moment, momentOrNull, whole } = ANSWER_PARTS

/** a, b or c. */
const oneOfWords = (words: readonly string[]) => words.join(', ').replace(/, (?=[^,]*$)/, ' or ')

const askedJob = {
  id: Type.String({ pattern: '^[0-9a-f]{12}$', description: 'the id of the job' }),
  kind: text(oneOfWords(JOB_KIND_NAMES)),
  asked_by: text('the id of the token that started it; service: the service started it by itself'),
  asked_at: moment('when it was asked for'),
}

const job = {
  ...askedJob,
  state: Type.Enum([...JOB_STATES], {
    type: 'string',
    description: 'interrupted: the process that ran it has ended; start the job again',
  }),
  began_at: momentOrNull('when it began; null: it has not'),
  ended_at: momentOrNull('when it ended; null: it has not'),
  snapshot_at: momentOrNull('the moment of the data that it reads; null: not yet, or it reads nothing'),
  pause_ms: orNull(
    whole('for how long'),
    'for how long copying the embedded database held up all requests; null: nothing was copied',
  ),
  progress: listOf(
    Type.Object(
      {
        of: text('what is counted: orders, players, predictions, entries or kinds'),
        done: whole('how many are done'),
        total: orNull(whole('how many there are'), 'how many there are; null: unknown before the end'),
      },
      { title: 'JobProgress', description: 'The progress of a job with one thing' },
    ),
    'its progress, to the second',
  ),
  error: orNull(Type.String(), 'why it failed; null: it has not'),
}

const jobAnswer = Type.Object(job, { title: 'Job', description: 'A job, without its result' })

export const JOB_ANSWERS = {
  'POST /api/admin/jobs': Type.Object(askedJob, { title: 'AskedJob', description: 'A job that waits for its turn' }),
  'GET /api/admin/jobs': Type.Object({ jobs: listOf(jobAnswer, 'newest first') }),
  'GET /api/admin/jobs/:id': Type.Object(
    {
      ...job,
      result: Type.Unsafe<object | null>({
        type: ['object', 'null'],
        description: 'its result, as laurel prints it with --json; ids are masked unless revealed; null: none yet',
      }),
    },
    { title: 'JobWithResult', description: 'A job with its result' },
  ),
  'POST /api/admin/jobs/:id/cancel': jobAnswer,
} as const

/*
 * Commands that read the whole database, while a service holds the embedded one: the service runs them as a job, on a snapshot (decision 125).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../config.ts'
import { OperatorError, Unavailable } from '../errors.ts'
import type { JobProgress } from '../resources/jobs/job-kind.ts'
import type { JobResult } from '../resources/jobs/kinds/index.ts'
import type { JobKindName } from '../resources/jobs/kinds/names.ts'
import { escapeControls } from '../text.ts'
import { type Client, withClient } from './client.ts'
import { findRunningService } from './data-directory.ts'
import { CommandFailed, EXIT, isRefusal, unexpectedResponse } from './failure.ts'
import { lacking } from './response-shape.ts'

/** Called with a function that returns how many of a thing are done, and how many there are, if known. */
type OnProgress = (count: (of: string) => Pick<JobProgress, 'done' | 'total'>) => void

const JOB = 'GET /api/admin/jobs/:id'

const LOOK_FIRST_MS = 100
const LOOK_MS = 1_000

/**
 * The result of a job of the running service; undefined if none that holds the database is running: the command then does the work itself.
 * `onProgress` is called with the progress of the job. Ctrl-C cancels it. Errors: CommandFailed, Unavailable, OperatorError; NotLaurel if the result has
 * another shape than that of its kind.
 */
export async function runAsJob<Kind extends JobKindName>(
  kind: Kind,
  request: Readonly<Record<string, unknown>>,
  onProgress: OnProgress,
): Promise<JobResult<Kind> | undefined> {
  const running = await findRunningService(readConfig())
  if (running === undefined) return undefined
  const result = await withClient(running.url, async (client) => {
    const starting = client.call('POST /api/admin/jobs', { data: { kind, ...request } })
    const cancel = () => void cancelled(client, starting).finally(() => process.exit(EXIT.refused))
    process.once('SIGINT', cancel)
    try {
      return await followed(client, (await starting).id, onProgress)
    } finally {
      process.off('SIGINT', cancel)
    }
  })
  const expected = lacking(`${JOB} ${kind}`, { result })
  if (expected !== undefined) throw unexpectedResponse(running.url, JOB, expected)
  return result as JobResult<Kind>
}

async function cancelled({ call }: Client, starting: Promise<Readonly<{ id: string }>>): Promise<void> {
  await starting.then(({ id }) => call('POST /api/admin/jobs/:id/cancel', { params: { id } })).catch(() => undefined) // The job never started, or the service is gone.
}

/** Polls once a second, more often at first: many jobs are short. */
async function followed({ call }: Client, id: string, onProgress: OnProgress): Promise<object | null> {
  for (let pauseMs = LOOK_FIRST_MS; ; pauseMs = Math.min(LOOK_MS, 2 * pauseMs)) {
    await sleep(pauseMs)
    const { state, progress, error, result } = await call(JOB, { params: { id } })
    onProgress((of) => progress.find((one) => one.of === of) ?? { done: 0, total: null })
    if (state === 'done') return (await revealed(call, id)) ?? result
    if (state === 'failed') throw new OperatorError(error === null ? 'the job failed' : escapeControls(error))
    if (state === 'cancelled') throw new CommandFailed('the job was cancelled')
    if (state === 'interrupted') throw new Unavailable('the service stopped before it was done: run the command again')
  }
}

/** The result with ids that are otherwise masked, if the token may see them. */
async function revealed(call: Client['call'], id: string): Promise<object | null> {
  try {
    return (await call(JOB, { params: { id }, query: { reveal: 'true' } })).result
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}

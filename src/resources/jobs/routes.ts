import type { Static } from 'typebox'
import { recordActs } from '../../audit-log/record-acts.ts'
import { runInParts } from '../../bulk/run-in-parts.ts'
import type { Deps } from '../../deps.ts'
import { withIdIn } from '../../engine/ingest/handles.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { InvalidInput } from '../../errors.ts'
import { parseSums } from '../../json-sums.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import { maskedResult, viewOf } from '../../routing/masking.ts'
import { assertMayReveal } from '../../routing/reveal-audit.ts'
import type { Description, Route, RouteRequest } from '../../routing/route.ts'
import { createSideThread } from '../../routing/side-thread.ts'
import { assertScope } from '../../scopes.ts'
import { type AnyJobResult, findJobKind, JOB_KINDS } from './kinds/index.ts'
import { JOB_KIND_NAMES } from './kinds/names.ts'
import { JOB_RESPONSES } from './responses.ts'
import { cancelJob, listJobs, type RequestedJob, requestedJobKind, showJob, startJob } from './service.ts'
import type { StoredJob } from './store.ts'

const NO_JOBS_HERE = 'jobs need a service started by laurel serve'

type ShownJob = Static<(typeof JOB_RESPONSES)['POST /api/admin/jobs/:id/cancel']>

const requestedJob: Static<(typeof JOB_RESPONSES)['POST /api/admin/jobs']> = {
  id: '6f1f0c3a9b2e',
  kind: 'verify',
  ...{ asked_by: 'service', requested_by: 'service' },
  ...{ asked_at: '2026-06-01T12:00:00.000Z', requested_at: '2026-06-01T12:00:00.000Z' },
}
const example: ShownJob = {
  ...requestedJob,
  ...{ state: 'waiting', began_at: null, ended_at: null, snapshot_at: null, pause_ms: null },
  ...{ progress: [], error: null },
}
const parameters = {
  id: Type.String({ pattern: '^[0-9a-f]{12}$', description: 'job ID', examples: ['6f1f0c3a9b2e'] }),
}

const DESCRIBED = {
  start: {
    operationId: 'startJob',
    tag: 'jobs',
    summary: 'Start a job',
    description:
      'Jobs run one at a time. Poll it by its ID once a second. Backtests, probes and reports need the scope `program`, verifications and backfills `admin`.',
    data: Type.Union(JOB_KIND_NAMES.map((kind) => JOB_KINDS[kind].schema(kind))),
    example: { data: { kind: 'verify' }, response: requestedJob },
  },
  list: {
    operationId: 'listJobs',
    tag: 'jobs',
    summary: 'List jobs, newest first',
    description: 'The last 50, kept for a week. Without their results.',
    example: { response: { jobs: [example] } },
  },
  show: {
    operationId: 'showJob',
    tag: 'jobs',
    summary: 'Get a job, its progress and its result',
    description: 'The result is as of `snapshot_at`, without later recordings.',
    parameters,
    example: { response: { ...example, result: null } },
  },
  cancel: {
    operationId: 'cancelJob',
    tag: 'jobs',
    summary: 'Cancel a job',
    description: 'A waiting job is cancelled at once, a running one within a second. Ended jobs are unchanged.',
    parameters,
    example: { response: { ...example, state: 'cancelled', ended_at: '2026-06-01T12:00:00.000Z' } },
  },
} as const satisfies Record<string, Description>

/** Long work on a snapshot, beside the requests (decision 125). `wake` makes a new job noticed at once; undefined: jobs cannot run here, and none can be started. */
export function adminJobRoutes(deps: Deps, wake: (() => void) | undefined): Route[] {
  const thread = createSideThread(new URL('./request-thread.ts', import.meta.url), deps.sideQueue)
  return [
    adminRoute(
      JOB_RESPONSES,
      'POST /api/admin/jobs',
      ['program'],
      { described: DESCRIBED.start, assertHasRoom: deps.sideQueue.assertHasRoom },
      async ({ data, caller, deadlineAt, ...request }) => {
        assertScope(caller, [requestedJobKind(data).scope])
        if (wake === undefined) throw new InvalidInput('data.kind', NO_JOBS_HERE)
        const input = { data: withIdIn(data, 'after', deps.handles), at: deps.now(), scopes: caller.scopes }
        const { isAbandoned } = request
        const newJob = await thread<RequestedJob>({ tokenId: caller.tokenId, input, deadlineAt, isAbandoned })
        const id = await startJob(stopOnDisconnect(deps, request), newJob, caller.tokenId, deadlineAt)
        const { kind, asked_by, asked_at } = await showJob(deps, id, deadlineAt)
        wake()
        return { id, kind, ...withRequest({ asked_by, asked_at }) }
      },
    ),
    adminRoute(
      JOB_RESPONSES,
      'GET /api/admin/jobs',
      ['read', 'program'],
      { described: DESCRIBED.list },
      async ({ deadlineAt }) => ({
        jobs: (await listJobs(deps, deadlineAt)).map(wire),
      }),
    ),
    adminRoute(
      JOB_RESPONSES,
      'GET /api/admin/jobs/:id',
      ['read', 'program'],
      { flags: ['reveal'], described: DESCRIBED.show },
      async (request) => {
        assertMayReveal(request)
        const { result, ...job } = await showJob(deps, request.params.id!, request.deadlineAt)
        return {
          ...wire(job),
          result: result === null ? null : await shownResult(request, job, parseSums(result) as AnyJobResult, deps),
        }
      },
    ),
    adminRoute(
      JOB_RESPONSES,
      'POST /api/admin/jobs/:id/cancel',
      ['program'],
      { described: DESCRIBED.cancel },
      async ({ params, caller, deadlineAt, ...request }) => {
        const { kind } = await showJob(deps, params.id!, deadlineAt)
        assertScope(caller, [findJobKind(kind)?.scope ?? 'admin'])
        await cancelJob(stopOnDisconnect(deps, request), params.id!, deadlineAt)
        wake?.()
        const { result: _, ...job } = await showJob(deps, params.id!, deadlineAt)
        return wire(job)
      },
    ),
  ]
}

/** The result of a job as this request may see it: masked unless it asks to reveal it. Whose token looked is then recorded first, and logged (decision 133). */
async function shownResult(
  { flags, caller, requestId, deadlineAt }: RouteRequest,
  { job_id: jobId, kind }: Pick<StoredJob, 'job_id' | 'kind'>,
  result: AnyJobResult,
  { db, now, observe, handles }: Pick<Deps, 'db' | 'now' | 'observe' | 'handles'>,
): Promise<AnyJobResult> {
  if (!flags.reveal) {
    const schema = findJobKind(kind)?.result ?? Type.Object({})
    return (await runInParts(maskedResult(result, schema, viewOf(caller, handles)))) as AnyJobResult
  }
  const doing = { at: now().toISOString(), by: caller.tokenId }
  await recordActs({ db }, 'result-revealed', doing, [{ subject: jobId, detail: { kind } }], deadlineAt)
  observe({ kind: 'job-revealed', requestId, tokenId: caller.tokenId, jobId })
  return result
}

function wire({ job_id: id, progress, ...job }: StoredJob): ShownJob {
  return { id, ...withRequest(job), progress: JSON.parse(progress) }
}

function withRequest<Job extends Pick<StoredJob, 'asked_by' | 'asked_at'>>(job: Job) {
  return { ...job, requested_by: job.asked_by, requested_at: job.asked_at }
}

import { useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask } from '../api.ts'
import { grouped } from '../exact.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Ago, Moment } from '../parts/moment.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useRequest } from '../request.ts'
import { useInvalidate, useResponse } from '../responses.ts'

type Job = RouteResponse<'GET /api/admin/jobs'>['jobs'][number]

const EVERY_MS = 5_000
/** While a job is waiting or running. */
const BUSY_EVERY_MS = 1_000

const JOB_WORDS: Readonly<Record<Job['kind'], string>> = {
  backfill: 'Backfill statistics',
  verify: 'Verify the ledger',
  backtest: 'Backtest of a program',
  probe: 'Probe of a program',
  backup: 'Backup',
  report: 'Report on predictions',
  'points-report': 'Report on outstanding points',
  'points-expiring': 'Expiring points',
}
const STATE_BADGES: Readonly<Record<Job['state'], string>> = {
  waiting: '',
  running: 'warn',
  done: 'good',
  failed: 'bad',
  cancelled: '',
  interrupted: 'bad',
}

/** Whether it has not ended. */
function isOpen({ state }: Job): boolean {
  return state === 'waiting' || state === 'running'
}

export function Jobs() {
  const invalidate = useInvalidate()
  const [isBusy, setBusy] = useState(false)
  const { run, failure } = useRequest()
  const { data, error, isStale, retry, answeredAtMs } = useResponse(
    'GET /api/admin/jobs',
    {},
    { everyMs: isBusy ? BUSY_EVERY_MS : EVERY_MS },
  )
  const busyNow = data?.jobs.some(isOpen) === true
  if (busyNow !== isBusy) setBusy(busyNow)
  const change = (send: () => Promise<unknown>) =>
    run(async () => {
      await send()
      await invalidate('GET /api/admin/jobs')
    })
  const actions: Column<Job> = {
    name: 'Actions',
    kind: 'actions',
    text: () => null,
    show: (job) =>
      isOpen(job) && (
        <Guarded
          scope={job.kind === 'verify' || job.kind === 'backfill' ? 'admin' : 'program'}
          className="link danger"
          onClick={() => change(() => ask('POST /api/admin/jobs/:id/cancel', { params: { id: job.id } }))}
        >
          Cancel<span className="hidden"> {job.id}</span>
        </Guarded>
      ),
  }
  if (error !== null && data === undefined) return <Failure error={error} retry={retry} />
  return (
    <>
      <div className="bar-of-list">
        <p className="quiet">Background jobs, one at a time. Kept for a week.</p>
        <Guarded scope="admin" onClick={() => change(() => ask('POST /api/admin/jobs', { data: { kind: 'verify' } }))}>
          Verify the ledger
        </Guarded>
        <CsvButton name="jobs" columns={COLUMNS} rows={data?.jobs} />
        <AsCurl requests={[{ name: 'GET /api/admin/jobs' }]} />
      </div>
      <Failure error={failure} />
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.jobs.length === 0 ? (
        <Empty title="No jobs">
          <p>
            A verification recomputes every balance, level and statistic from the entries and reports differences.
            Backtests, probes and reports are started where their results are shown, or by a command:
          </p>
          <pre className="code">npx --no laurel ledger verify</pre>
        </Empty>
      ) : (
        <Table
          name="Jobs"
          columns={[...COLUMNS, actions]}
          rows={data?.jobs}
          keyOf={({ id }) => id}
          isStale={isStale}
          expected={3}
          detail={{
            name: 'Result',
            of: (job) =>
              job.state === 'done' ? <Result job={job} /> : job.error === null ? undefined : <p>{job.error}</p>,
          }}
        />
      )}
    </>
  )
}

const COLUMNS: Column<Job>[] = [
  {
    name: 'Job',
    text: ({ kind }) => kind,
    show: ({ id, kind }) => (
      <span className="named">
        <span>{JOB_WORDS[kind]}</span>
        <span className="small mono">{id}</span>
      </span>
    ),
  },
  {
    name: 'State',
    text: ({ state }) => state,
    show: ({ state }) => <span className={`badge ${STATE_BADGES[state]}`}>{state}</span>,
  },
  {
    name: 'Progress',
    text: ({ progress }) => progress.map(({ of, done }) => `${of} ${done}`).join(', '),
    show: ({ progress, state }) =>
      progress.map(({ of, done, total }) => (
        <span key={of} className="named">
          <span className="number">
            {grouped(done)}
            {total !== null && ` of ${grouped(total)}`} {of}
          </span>
          {state === 'running' && total !== null && total > 0 && (
            <span className="progress" aria-hidden="true">
              <span style={{ width: `${Math.min(100, (done / total) * 100)}%` }} />
            </span>
          )}
        </span>
      )),
  },
  {
    name: 'Started',
    text: ({ requested_at }) => requested_at!,
    show: ({ requested_at, requested_by }) => (
      <span className="named">
        <Ago at={requested_at!} />
        <span className="small mono">{requested_by}</span>
      </span>
    ),
  },
  {
    name: 'Duration',
    text: ({ began_at, ended_at }) => (began_at === null || ended_at === null ? null : tookMs(began_at, ended_at)),
    show: ({ began_at, ended_at }) =>
      began_at === null ? (
        <span className="quiet">–</span>
      ) : (
        tookText(tookMs(began_at, ended_at ?? new Date().toISOString()))
      ),
    kind: 'number',
  },
  {
    name: 'Request delay',
    text: ({ pause_ms }) => pause_ms,
    show: ({ pause_ms }) => (pause_ms === null ? <span className="quiet">–</span> : `${grouped(pause_ms)} ms`),
    kind: 'number',
  },
]

type Verified = Readonly<{ players: number; orders: number; entries: number; differing: number }>

/** The result of a job, as of its snapshot. */
function Result({ job }: Readonly<{ job: Job }>) {
  const { data, error, retry } = useResponse('GET /api/admin/jobs/:id', { params: { id: job.id } })
  if (error !== null) return <Failure error={error} retry={retry} />
  if (data === undefined) return <Skeleton width="20rem" />
  const verified = job.kind === 'verify' ? (data.result as Verified | null) : null
  return (
    <>
      {verified !== null && (
        <p>
          {grouped(verified.players)} players, {grouped(verified.orders)} orders and {grouped(verified.entries)}{' '}
          entries:{' '}
          {verified.differing === 0 ? (
            <span className="good">nothing differs</span>
          ) : (
            <span className="bad">{grouped(verified.differing)} differ</span>
          )}
        </p>
      )}
      {data.snapshot_at !== null && (
        <p className="quiet">
          As of <Moment at={data.snapshot_at} />; later records are not included.
        </p>
      )}
      {verified?.differing !== 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        <pre className="code tall" tabIndex={0}>
          {JSON.stringify(data.result, null, 2)}
        </pre>
      )}
    </>
  )
}

function tookMs(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from))
}

function tookText(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}

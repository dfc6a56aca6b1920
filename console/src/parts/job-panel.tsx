import { type ReactNode, useState } from 'react'
import { ask } from '../api.ts'
import { grouped } from '../exact.ts'
import { useRequest } from '../request.ts'
import { useResponse } from '../responses.ts'
import { useUrlState } from '../url-state.ts'
import { Button } from './button.tsx'
import { Guarded } from './guarded.tsx'
import { Moment } from './moment.tsx'
import { Failure } from './states.tsx'

const POLL_MS = 1_000
const RUNNING = ['waiting', 'running']

/** A job that the service does beside its requests: started, followed, cancelled, and shown here when it is done. Its id is kept in the URL. */
export function JobPanel<Result>({
  kind,
  data,
  canRun,
  about,
  show,
}: Readonly<{
  kind: 'backtest' | 'probe'
  data: object
  canRun: boolean
  about: string
  /** `rerun` starts it again with other data; undefined while it may not. */
  show: (result: Result, rerun: ((more: object) => void) | undefined) => ReactNode
}>) {
  const [jobId, setJobId] = useUrlState(kind)
  const starting = useRequest()
  const cancelling = useRequest()
  const [isOver, setOver] = useState(false)
  const { data: job, error } = useResponse(
    'GET /api/admin/jobs/:id',
    { params: { id: jobId } },
    { when: jobId !== '', ...(isOver ? {} : { everyMs: POLL_MS }) },
  )
  const isRunning = job !== undefined && RUNNING.includes(job.state)
  if (job !== undefined && isOver === isRunning) setOver(!isRunning)
  // Until the job that has just been started is known, what is shown is none, or the one before.
  const isAwaited = jobId !== '' && error === null && job?.id !== jobId
  const run = (more: object = {}) =>
    starting.run(async () => {
      const { id } = await ask('POST /api/admin/jobs', { data: { kind, ...data, ...more } })
      setOver(false)
      setJobId(id)
    })
  const cancel = () => cancelling.run(() => ask('POST /api/admin/jobs/:id/cancel', { params: { id: jobId } }))
  return (
    <div className="form">
      <p className="quiet">{about}</p>
      <div className="actions">
        <Guarded
          scope="program"
          className="button primary"
          onClick={() => run()}
          disabled={!canRun || isRunning || isAwaited || starting.busy}
        >
          {job === undefined || isRunning ? 'Run' : 'Run again'}
        </Guarded>
        {isRunning && (
          <Button onClick={cancel} disabled={cancelling.busy}>
            Cancel
          </Button>
        )}
        {!canRun && <span className="quiet">Not available while the draft has errors.</span>}
      </div>
      <Failure error={starting.failure ?? cancelling.failure ?? (jobId === '' ? null : error)} />
      {jobId !== '' && job !== undefined && (
        <div aria-live="polite">
          {isRunning && <Progress state={job.state} progress={job.progress} />}
          {job.state === 'failed' && (
            <p className="notice bad" role="alert">
              {job.error}
            </p>
          )}
          {(job.state === 'cancelled' || job.state === 'interrupted') && <p className="notice">It was {job.state}.</p>}
          {job.state === 'done' && job.result !== null && (
            <>
              {show(job.result as Result, canRun && !isAwaited && !starting.busy ? run : undefined)}
              <p className="small">
                As of <Moment at={job.snapshot_at ?? job.began_at ?? job.requested_at!} />
                {job.snapshot_at === null ? '.' : '; later records are not included.'}
              </p>
            </>
          )}
        </div>
      )}
    </div>
  )
}

type Step = Readonly<{ of: string; done: number; total: number | null }>

function Progress({ state, progress }: Readonly<{ state: string; progress: readonly Step[] }>) {
  const step = progress.findLast(({ done }) => done > 0) ?? progress[0]
  if (state === 'waiting' || step === undefined) return <p className="quiet">Waiting in the queue.</p>
  // Shown without rounding: 100 % means done.
  const share = step.total === null || step.total === 0 ? undefined : (step.done / step.total) * 100
  return (
    <div className="level">
      <span className="ends">
        <span>
          {grouped(step.done)}
          {step.total === null ? '' : ` of ${grouped(step.total)}`} {step.of}
        </span>
        {share !== undefined && <span className="number">{Math.floor(share)} %</span>}
      </span>
      <progress className="hidden" max={100} value={share} aria-label="Progress" />
      <span className="progress" aria-hidden="true">
        <span style={{ width: `${share ?? 100}%` }} />
      </span>
    </div>
  )
}

import type { Static } from 'typebox'
import type { JobKind } from '../job-kind.ts'
import { backfillJob } from './backfill.ts'
import { backtestJob } from './backtest.ts'
import { backupJob } from './backup.ts'
import { exportJob } from './export.ts'
import type { JobKindName } from './names.ts'
import { pointsExpiringJob } from './points-expiring.ts'
import { pointsReportJob } from './points-report.ts'
import { reportJob } from './predictions-report.ts'
import { probeJob } from './probe.ts'
import { verifyJob } from './verify.ts'

/** Every kind of job, by its name on the wire. */
export const JOB_KINDS = {
  backfill: backfillJob,
  backtest: backtestJob,
  backup: backupJob,
  export: exportJob,
  'points-expiring': pointsExpiringJob,
  'points-report': pointsReportJob,
  probe: probeJob,
  report: reportJob,
  verify: verifyJob,
} as const satisfies Readonly<Record<JobKindName, JobKind>>

/** What a job of this kind results in. That of an earlier service lacks what was added since. */
export type JobResult<Kind extends JobKindName> = Static<(typeof JOB_KINDS)[Kind]['result']>

/** What a job of any kind results in. */
export type AnyJobResult = { [Kind in JobKindName]: JobResult<Kind> }[JobKindName]

/** The kind of job with this name on the wire; undefined if there is none. */
export function findJobKind(name: string): JobKind | undefined {
  return Object.hasOwn(JOB_KINDS, name) ? JOB_KINDS[name as JobKindName] : undefined
}

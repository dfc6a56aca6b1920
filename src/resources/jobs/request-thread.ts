/*
 * The thread that reads what is asked of a job: a program with hundreds of conditions takes some 200 ms to read.
 */
import { serveSideTasks } from '../../routing/side-task.ts'
import type { Scope } from '../../scopes.ts'
import { type RequestedJob, readRequestedJob } from './service.ts'

type JobRequest = Readonly<{ data: unknown; at: Date; scopes: ReadonlySet<Scope> }>

serveSideTasks(async ({ data, at, scopes }: JobRequest): Promise<RequestedJob> => readRequestedJob(data, at, scopes))

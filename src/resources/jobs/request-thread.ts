/*
 * The thread that reads what is asked of a job: a program with hundreds of conditions takes some 200 ms to read.
 */
import { serveSideTasks } from '../../routing/side-task.ts'
import type { Scope } from '../../scopes.ts'
import { type AskedJob, readAskedJob } from './service.ts'

type Asked = Readonly<{ data: unknown; at: Date; scopes: ReadonlySet<Scope> }>

serveSideTasks(async ({ data, at, scopes }: Asked): Promise<AskedJob> => readAskedJob(data, at, scopes))

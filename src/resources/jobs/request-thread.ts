/*
 * The thread that reads what is asked of a job: a program with hundreds of conditions takes some 200 ms to read.
 */
import { serveSideTasks } from '../../routing/side-task.ts'
import { type AskedJob, readAskedJob } from './service.ts'

serveSideTasks(async ({ data, at }: Readonly<{ data: unknown; at: Date }>): Promise<AskedJob> => readAskedJob(data, at))

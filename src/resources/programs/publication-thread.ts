/*
 * The thread that reads programs to be published: the costliest ones that are valid take half a second.
 */
import { serveSideTasks } from '../../routing/side-task.ts'
import { readPublication } from './service.ts'

serveSideTasks(async (data: unknown) => readPublication(data))

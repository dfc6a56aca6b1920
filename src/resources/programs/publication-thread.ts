/*
 * The thread that reads programs to be published: the costliest ones that are valid take half a second.
 */
import { serveSideTasks } from '../../routing/side-task.ts'
import { readAskedPublication } from './service.ts'

serveSideTasks(async (data: unknown) => readAskedPublication(data))

/*
 * How long predictions take beside background work, compared with how long they take otherwise: while changed accounts are counted, and while jobs of one
 * kind run one after the other. An endless loop in another process shows what any work costs requests on this machine, even if they share nothing else.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { STARTER_PROGRAM } from '../src/engine/points/starter-program.ts'
import { NICENESS } from '../src/low-priority.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { ORDERS_PATH, sendAll } from './http.ts'
import { LOAD_CONNECTIONS, load, warmed } from './load.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, bodiesOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import {
  countAccounts,
  type Data,
  type Database,
  onCopy,
  type RunningService,
  runSql,
  type Size,
  start,
  withService,
} from './testbed.ts'

const POLL_MS = 100
const ORDERS_PER_REQUEST = 1_000
const ALL_CHANGED = 'insert into account_changes (user_id) select user_id from accounts'
const JOBS_PATH = '/api/admin/jobs'

type JobRequest = Readonly<{ kind: string; [field: string]: string }>

const EVERYWHERE: readonly JobRequest[] = [
  { kind: 'backtest', source: STARTER_PROGRAM },
  { kind: 'points-report', from: '2001-01-01', to: '2001-02-01' },
  { kind: 'probe', source: STARTER_PROGRAM },
  { kind: 'report' },
  { kind: 'verify' },
]
/** On PostgreSQL, the command does this itself. */
const JOBS: Readonly<Record<Database, readonly JobRequest[]>> = {
  postgres: EVERYWHERE,
  embedded: [...EVERYWHERE, { kind: 'backup' }, { kind: 'export', noun: 'players', format: 'csv' }],
}

export async function measureBackground(round: Round): Promise<Figure[]> {
  return [await measureCounting(round), ...(await measureJobs(round))]
}

/** At its own pace, so many accounts are counted for longer than the loads last. */
async function measureCounting({ testbed, database, runs, records, seconds }: Round): Promise<Figure> {
  const size = sizeOf(records)
  const data = await testbed.filled(database, size)
  const p99On = (some: Data) =>
    withService(testbed, some, async (service) => (await warmed(() => load(service, size, seconds))).p99)
  return await onCopy(testbed, data, async (changed) => {
    await runSql(changed, [ALL_CHANGED])
    const { alone, counting } = await alternate(runs, [
      async () => ({ alone: await p99On(data) }),
      async () => ({ counting: await p99On(changed) }),
    ])
    return figureOf(
      { ...TARGETS.backgroundP99, figure: 'p99 of predictions beside changed accounts being counted' },
      {
        ...{ database, floor: alone!, ours: counting! },
        note: `${LOAD_CONNECTIONS} connections; ${records} accounts; floor: p99 without changed ones`,
      },
    )
  })
}

async function measureJobs({ testbed, database, runs, records, seconds }: Round): Promise<Figure[]> {
  const size = sizeOf(records)
  return await onCopy(testbed, await testbed.filled(database, size), async (data) => {
    await recordOrders(data, size)
    const service = await start(data)
    try {
      const p99 = async () => (await load(service, size, seconds)).p99
      await warmed(p99)
      const ended = new Map<string, number>()
      const beside = (job: JobRequest) => async () => {
        const { result, count } = await whileJobsRun(service, job, p99)
        ended.set(job.kind, (ended.get(job.kind) ?? 0) + count)
        return { [job.kind]: result }
      }
      const measured = await alternate(runs, [
        async () => ({ alone: await p99() }),
        async () => ({ loop: await whileLoopRuns(p99) }),
        ...JOBS[database].map((job) => beside(job)),
      ])
      const floor = measured.alone!
      const asked = `${LOAD_CONNECTIONS} connections; ${records} accounts and orders; floor: p99 without`
      return [
        figureOf(TARGETS.loopP99, {
          ...{ database, floor, ours: measured.loop! },
          note: `in another process with niceness ${NICENESS.job}, ${asked} it`,
        }),
        ...JOBS[database].map(({ kind }) =>
          figureOf(
            { ...TARGETS.backgroundP99, figure: `p99 of predictions beside jobs: ${kind}` },
            {
              ...{ database, floor, ours: measured[kind]! },
              note: `${ended.get(kind)} jobs ended meanwhile, ${asked} them`,
            },
          ),
        ),
      ]
    } finally {
      await service.kill()
    }
  })
}

/** Records an order for each player, under other IDs than those of the load, and counts the accounts. */
async function recordOrders(data: Data, size: Size): Promise<void> {
  const service = await start(data)
  const order = (index: number) => ({ ...anOrder(index, size), order_id: `past-${index}` })
  const bodies = bodiesOf(order, { records: size.players, each: ORDERS_PER_REQUEST })
  await sendAll(service, ORDERS_PATH, { bodies, connections: 2 })
  await service.stop()
  await countAccounts(data)
}

/** One at the priority of jobs. */
async function whileLoopRuns<T>(act: () => Promise<T>): Promise<T> {
  const loop = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })
  try {
    await once(loop, 'spawn')
    setPriority(loop.pid!, NICENESS.job)
    return await act()
  } finally {
    loop.kill()
  }
}

/** Starts the job again whenever it has ended, until `act` has. `count`: how many ended. Errors: if one failed. */
async function whileJobsRun<T>(service: RunningService, job: JobRequest, act: () => Promise<T>) {
  let isOver = false
  let count = 0
  const running = (async () => {
    while (!isOver) {
      const { id } = await ask(service, JOBS_PATH, { data: job })
      for (let isOpen = true; isOpen && !isOver; await sleep(POLL_MS)) {
        const { state, error } = await ask(service, `${JOBS_PATH}/${id}`)
        if (error !== null) throw new Error(`a job ${job.kind} failed: ${error}`)
        isOpen = state !== 'done'
      }
      if (isOver) await ask(service, `${JOBS_PATH}/${id}/cancel`, {})
      else count += 1
    }
  })()
  const result = await act()
  isOver = true
  await running
  return { result, count }
}

async function ask(service: RunningService, path: string, body?: object): Promise<Record<string, unknown>> {
  const { status, text } = await service.ask(path, body === undefined ? undefined : { body })
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as Record<string, unknown>
}

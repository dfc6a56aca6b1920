/*
 * The small-machine campaign: a service with little memory, and one whose disk is full. It may refuse or be killed, but nothing that it acknowledged
 * is lost, and the ledger verifies afterwards.
 * `npm run campaign:small-machine -- --memory 256,384,512,1024 --disk 200` prints a line for each. It makes cgroups and mounts a file system in
 * memory, so it runs as root on Linux, and is not part of `npm test`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { runProcess, type ServiceProcess, startService } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, readPositives, runCampaign, wholeFrom } from './arguments.ts'

export type SmallMachineCampaign = Readonly<{
  /** Limits of memory, in MiB; a round each. */
  memory: readonly number[]
  /** The size of the disk that fills up, in MiB. */
  diskMib: number
  say: (line: string) => void
}>

const MIB = 1024 ** 2
/** With the first, a service must take upserts of 1,000 records, and with the second the largest upsert, too. */
const [ENOUGH_MIB, ADVISED_MIB] = [512, 1024]
const BATCHES = 20
const BATCH = 1_000
/** Longer names make a body of about 80 MiB, near the limit of an upsert. */
const LARGEST = 'an upsert of 80 MiB'
const LARGE = { players: 120_000, nameLength: 450 }

/** Rejects if anything acknowledged is lost, a ledger does not verify, or a service with enough memory is killed. */
export async function runSmallMachineCampaign({ memory, diskMib, say }: SmallMachineCampaign): Promise<void> {
  for (const limitMib of memory)
    say(`${limitMib} MiB of memory: ${await inDirectory((home) => withMemory(limitMib, home))}`)
  say(`a disk of ${diskMib} MiB: ${await inDirectory((home) => onFullDisk(diskMib, home))}`)
}

async function inDirectory(round: (home: string) => Promise<string>): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'laurel-small-'))
  try {
    return await round(home)
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Starts a new database with this much memory, and sends upserts, predictions, and the largest upsert there is. */
async function withMemory(limitMib: number, home: string): Promise<string> {
  const group = createMemoryGroup(limitMib)
  const data = join(home, 'data')
  const acknowledged = { players: 0, orders: 0 }
  let step = 'the first start'
  try {
    const service = await startService({ data, limit: `echo $$ > ${group.processes}` })
    const isWarned = service.stdout().includes('"memory-low"')
    if (isWarned !== limitMib < ADVISED_MIB)
      throw new Error(`the start ${isWarned ? 'warned' : 'did not warn'} of memory`)
    step = 'upserts'
    await service.upsert('products', [aProduct()])
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await accepted(service, 'players', manyPlayers(batch * BATCH, BATCH))
      acknowledged.players += BATCH
      const orders = Array.from({ length: BATCH }, (_, index) => {
        const id = batch * BATCH + index
        return anOrder({ order_id: `o-${id}`, user_id: `p-${id}` })
      })
      await accepted(service, 'orders', orders)
      acknowledged.orders += BATCH
    }
    step = 'predictions'
    for (let index = 0; index < BATCH; index += 1) {
      const { status, text } = await service.ask('/api/predictions/orders', {
        body: { data: anOrder({ order_id: 'new', user_id: `p-${index}` }) },
      })
      if (status !== 200) throw new Error(`a prediction: ${status} ${text}`)
    }
    step = LARGEST
    await accepted(service, 'players', manyPlayers(BATCHES * BATCH, LARGE.players, LARGE.nameLength))
    acknowledged.players += LARGE.players
    step = 'everything'
    await service.stop()
    const peakMib = Math.ceil(group.peak() / MIB)
    return `${step}, ${isWarned ? '' : 'not '}warned, peak ${peakMib} MiB; ${await whole(data, acknowledged)}`
  } catch (error) {
    if (limitMib >= (step === LARGEST ? ADVISED_MIB : ENOUGH_MIB)) throw error
    const kept = acknowledged.players === 0 ? 'nothing was acknowledged' : await whole(data, acknowledged)
    return `ended during ${step}; ${kept}`
  } finally {
    await eventually('the group is empty', () => readFileSync(group.processes, 'utf8') === '')
    group.remove()
  }
}

const manyPlayers = (from: number, count: number, nameLength = 10) =>
  Array.from({ length: count }, (_, index) => aPlayer({ User_id: `p-${from + index}`, Name: 'n'.repeat(nameLength) }))

async function accepted(
  service: ServiceProcess,
  noun: 'players' | 'orders',
  records: readonly object[],
): Promise<void> {
  const { status, text } = await service.upsert(noun, records)
  if (status !== 200) throw new Error(`${noun}: ${status} ${text.slice(0, 200)}`)
}

/** Starts without a limit, counts what is stored, and verifies the ledger. */
async function whole(data: string, least: Readonly<{ players: number; orders: number }>): Promise<string> {
  const service = await startService({ data })
  const last = [`/api/admin/players/p-${least.players - 1}`, `/api/admin/orders/o-${least.orders - 1}`]
  for (const path of least.orders === 0 ? last.slice(0, 1) : last) {
    const { status } = await service.ask(path)
    if (status !== 200) throw new Error(`${path} was acknowledged, and is now ${status}`)
  }
  await service.stop()
  const { code, stdout, stderr } = await runProcess(['ledger', 'verify'], { env: { LAUREL_DATA: data } })
  if (code !== 0) throw new Error(`the ledger does not verify: ${stdout}${stderr}`)
  return `all of ${least.players} acknowledged players and ${least.orders} orders are there, and the ledger verifies`
}

type MemoryGroup = Readonly<{ processes: string; peak: () => number; remove: () => void }>

/** A cgroup of either version. Swap counts as memory. */
function createMemoryGroup(limitMib: number): MemoryGroup {
  const isFirstVersion = existsSync('/sys/fs/cgroup/memory')
  const directory = `/sys/fs/cgroup/${isFirstVersion ? 'memory/' : ''}laurel-${process.pid}-${limitMib}`
  mkdirSync(directory)
  const set = (file: string, value: number) => writeFileSync(join(directory, file), String(value))
  if (isFirstVersion) {
    set('memory.limit_in_bytes', limitMib * MIB)
    if (existsSync(join(directory, 'memory.memsw.limit_in_bytes'))) set('memory.memsw.limit_in_bytes', limitMib * MIB)
  } else {
    set('memory.max', limitMib * MIB)
    set('memory.swap.max', 0)
  }
  const peakFile = join(directory, isFirstVersion ? 'memory.max_usage_in_bytes' : 'memory.peak')
  return {
    processes: join(directory, 'cgroup.procs'),
    peak: () => Number(readFileSync(peakFile, 'utf8')),
    remove: () => rmdirSync(directory),
  }
}

/** Fills the disk below a running service, and frees it again. */
async function onFullDisk(sizeMib: number, home: string): Promise<string> {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', home], { encoding: 'utf8' })
  if (mounted.status !== 0) throw new Error(`cannot mount a file system: ${mounted.stderr}`)
  const [data, filler] = [join(home, 'data'), join(home, 'filler')]
  try {
    const service = await startService({ data })
    await service.upsert('products', [aProduct()])
    const { bavail, bsize } = statfsSync(home)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 4 * MIB))
    let players = 0
    let refusal = await service.upsert('players', manyPlayers(0, BATCH))
    while (refusal.status === 200) {
      players += BATCH
      refusal = await service.upsert('players', manyPlayers(players, BATCH))
    }
    if (refusal.status !== 503) throw new Error(`expected 503, got ${refusal.status} ${refusal.text}`)
    const statuses = await Promise.all(
      ['/healthz', '/readyz', '/api/admin/players/p-0'].map(
        async (path) => `${path} ${(await service.ask(path)).status}`,
      ),
    )
    rmSync(filler)
    await eventually(
      'it writes again',
      async () => (await service.upsert('players', manyPlayers(players, BATCH))).status === 200,
    )
    players += BATCH
    const { stdout } = await service.stop()
    const line = stdout.split('\n').find((text) => text.includes('"msg":"database-failed"'))
    if (line === undefined) throw new Error(`no line of the log says why: ${stdout}`)
    return `${refusal.body.error}, logged as "${JSON.parse(line).error.message}"; meanwhile ${statuses.join(', ')}; ${await whole(data, { players, orders: 0 })}`
  } finally {
    spawnSync('umount', [home])
  }
}

if (import.meta.main) {
  const command = campaignCommand('small-machine', 'Runs a service with little memory, and on a disk that is full.')
    .option('--memory <MiB>', 'memory limits, comma-separated', readPositives, [256, 384, 512, 1024])
    .option('--disk <MiB>', 'the size of the disk that fills up', wholeFrom(100), 200)
    .parse()
  const { memory, disk } = command.opts<{ memory: readonly number[]; disk: number }>()
  await runCampaign(() =>
    runSmallMachineCampaign({ memory, diskMib: disk, say: (line) => process.stdout.write(`${line}\n`) }),
  )
}

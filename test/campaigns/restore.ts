/*
 * The restore campaign: a backup is restored, as docs/operating.md says, while an old process still finishes its requests. The old process may not
 * write into the restored directory, and every order that anybody acknowledged is in the directory of that time.
 * `npm run campaign:restore -- --rounds 20` prints a line for each round, and fails at the first lost order.
 */
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT } from '../../src/cli/failure.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { orderIdsOf, runProcess, type ServiceProcess, startService, tokenIn } from '../support/service-process.ts'
import { send } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, runCampaign, wholeFrom } from './arguments.ts'

export type RestoreCampaign = Readonly<{ rounds: number; say: (line: string) => void }>

const CLIENTS = 8
/** How many orders are acknowledged before the restore begins, and by the restored service. */
const ORDERS = 40

/** Rejects at the first round that loses an acknowledged order, or in which a ledger does not verify. */
export async function runRestoreCampaign({ rounds, say }: RestoreCampaign): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const directory = mkdtempSync(join(tmpdir(), 'laurel-restore-'))
    try {
      // In every other round the old process has been told to stop, and is still draining.
      say(`round ${round}: ${await restoreUnderLoad(directory, round % 2 === 1)}`)
    } finally {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

async function restoreUnderLoad(directory: string, isStopping: boolean): Promise<string> {
  const [data, backup, old] = ['data', 'data-backup', 'data-old'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const before = await startService({ data })
  await before.upsert('players', [aPlayer()])
  await before.stop()
  cpSync(data, backup, { recursive: true })

  const first = await startService({ data, env: { STOP_DELAY_MS: isStopping ? '2000' : '0' } })
  const sentToFirst = recordOrders(first, 'first')
  await eventually('orders are acknowledged', () => sentToFirst.acknowledged.length >= ORDERS)
  const stopped = isStopping ? first.stop() : undefined
  renameSync(data, old)
  cpSync(backup, data, { recursive: true })
  const second = await startService({ data })
  const sentToSecond = recordOrders(second, 'second')
  const { code, stderr } = await (stopped ?? first.ended)
  if (code !== EXIT.crashed) throw new Error(`the old process ended with ${code}: ${stderr}`)
  await sentToFirst.ended
  await eventually('orders are acknowledged', () => sentToSecond.acknowledged.length >= ORDERS)
  await second.stop()
  await sentToSecond.ended

  await assertHolds(old, sentToFirst.acknowledged)
  await assertHolds(data, sentToSecond.acknowledged)
  return `${sentToFirst.acknowledged.length} orders acknowledged before and ${sentToSecond.acknowledged.length} after, none lost`
}

/** Records orders on several connections until the service is gone. */
function recordOrders(
  { url, data }: ServiceProcess,
  name: string,
): Readonly<{ acknowledged: readonly string[]; ended: Promise<unknown> }> {
  const headers = { token: tokenIn(data), 'content-type': 'application/json' }
  const acknowledged: string[] = []
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; ; turn += 1) {
      const id = `${name}-${client}-${turn}`
      const body = Buffer.from(JSON.stringify({ data: [anOrder({ order_id: id })] }))
      const reply = await send(url, 'POST', '/api/integration/orders', body, headers, agent).catch(() => undefined)
      if (reply === undefined) break
      if (reply.status === 200) acknowledged.push(id)
    }
    agent.destroy()
  })
  return { acknowledged, ended: Promise.all(clients) }
}

/** The ledger of a directory verifies, and it has all these orders. */
async function assertHolds(data: string, orderIds: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runProcess(['ledger', 'verify'], { env: { LAUREL_DATA: data } })
  if (code !== 0) throw new Error(`laurel ledger verify ended with ${code}: ${stdout}${stderr}`)
  const service = await startService({ data })
  const found = new Set(await orderIdsOf(service))
  await service.stop()
  const missing = orderIds.filter((id) => !found.has(id))
  if (missing.length > 0) throw new Error(`LOST: ${missing.length} acknowledged orders, first ${missing[0]}`)
}

if (import.meta.main) {
  const { rounds } = campaignCommand(
    'restore',
    'Restores a backup while an old process still runs, and looks for lost orders.',
  )
    .option('--rounds <count>', 'restores', wholeFrom(1), 20)
    .parse()
    .opts<{ rounds: number }>()
  await runCampaign(() => runRestoreCampaign({ rounds, say: (line) => console.log(line) }))
}

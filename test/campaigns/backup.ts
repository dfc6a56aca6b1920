/*
 * The backup campaign: backups are made while clients record the orders of a real shop, restored on both databases, and compared; commands are killed
 * at random moments; and what cannot be restored is refused. Nothing may be lost, half done, or in the way of the same command afterwards.
 * `npm run campaign:backup -- --kills 20` prints a line for each part. `--players 5000000` only measures a backup and a restore of that many.
 */
import assert from 'node:assert/strict'
import { tokenIn } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { type CampaignDatabase, campaignCommand, databaseOption, runCampaign, wholeFrom } from './arguments.ts'
import { compareAnswers } from './backup-answers.ts'
import { killErasures } from './backup-erasures.ts'
import { killCommands } from './backup-kills.ts'
import { assertOrders, recordOrders } from './backup-load.ts'
import {
  contentOfFile,
  contentOfPlace,
  openPlaces,
  openShop,
  type Places,
  readShop,
  type Shop,
  succeed,
} from './backup-places.ts'
import { measureBackup } from './backup-players.ts'
import { tryRefusals } from './backup-refusals.ts'

export type BackupCampaign = Readonly<{
  databases: readonly CampaignDatabase[]
  clients: number
  /** How many orders are acknowledged before a backup begins, and again before the clients stop. */
  orders: number
  /** How many generated GETs a service and those restored from its backup answer alike. */
  gets: number
  seed: number
  /** How many times each command is killed. */
  kills: number
  /** Whether what must be refused is tried, too. */
  refusals: boolean
  say: (line: string) => void
}>

/** Rejects at the first order that is lost or half there, and at the first answer that differs. */
export async function runBackupCampaign({ databases, say, ...sizes }: BackupCampaign): Promise<void> {
  const shop = await readShop()
  const places = await openPlaces()
  await using opened = new AsyncDisposableStack()
  opened.defer(places.close)
  for (const database of databases) {
    if (sizes.orders > 0) say(`${database}: ${await backUpUnderLoad(places, shop, { database, ...sizes })}`)
    if (sizes.gets > 0)
      say(`${database}: ${await compareAnswers(afterAll(opened), places, shop, { database, ...sizes })}`)
  }
  if (sizes.kills > 0) for await (const line of killCommands(places, shop, { databases, ...sizes })) say(line)
  if (sizes.kills > 0) for await (const line of killErasures(places, shop, { databases, ...sizes })) say(line)
  if (sizes.refusals) for await (const line of tryRefusals(places, shop, sizes.clients)) say(line)
}

/** What is registered last runs first, as services must be closed before their databases. */
const afterAll = (opened: AsyncDisposableStack) => ({
  after: (act: () => unknown) => opened.defer(async () => void (await act())),
})

/** Makes a backup while clients record, and restores it on both databases. */
async function backUpUnderLoad(
  places: Places,
  shop: Shop,
  { database, clients, orders }: Readonly<{ database: CampaignDatabase; clients: number; orders: number }>,
): Promise<string> {
  const place = await places.open(database)
  const service = await openShop(place, shop)
  const file = places.newPath('backup.zst')
  const recording = recordOrders(service, shop, clients)
  await eventually('orders are acknowledged', () => recording.count() >= orders)
  const before = recording.acknowledged()
  const beganWith = recording.count()
  await succeed(['backup', file], place.env)
  const endedWith = recording.count()
  await eventually('more orders are acknowledged', () => recording.count() >= endedWith + orders)
  await recording.stop()
  const all = recording.acknowledged()
  await service.stop()
  const content = await contentOfFile(file)
  const restored = { embedded: await places.open('embedded'), postgres: await places.open('postgres') }
  for (const target of Object.values(restored)) {
    assert.match(await succeed(['restore', file, '--verify'], target.env), /: no difference\n/)
    assert.deepEqual(await contentOfPlace(target), content, `a ${target.database} database has what is in the file`)
  }
  // Both have the same rows.
  const restoredOrders = await assertOrders(restored.postgres, tokenIn(place.data), shop, before)
  return `${before.size} orders acknowledged before the backup, ${endedWith - beganWith} states during it, ${all.size} orders in all; ${restoredOrders} restored, none lost or half there`
}

if (import.meta.main) {
  const { database, players, ...options } = campaignCommand(
    'backup',
    'Backs up, restores and moves databases while orders are recorded and processes are killed.',
  )
    .addOption(databaseOption())
    .option('--clients <count>', 'concurrent clients', wholeFrom(1), 32)
    .option('--orders <count>', 'states acknowledged before a backup, and again after it', wholeFrom(0), 1_000)
    .option('--gets <count>', 'generated GETs whose answers are compared', wholeFrom(0), 2_000)
    .option('--kills <count>', 'kills of each command', wholeFrom(0), 20)
    .option('--seed <number>', 'for which GETs are generated', wholeFrom(0), Date.now() % 1_000_000)
    .option('--players <count>', 'only measures a backup and a restore of so many players', wholeFrom(1_000))
    .option('--no-refusals', 'leave out what must be refused')
    .parse()
    .opts<Omit<BackupCampaign, 'databases' | 'say'> & { database: BackupCampaign['databases']; players?: number }>()
  await runCampaign(async () => {
    if (players === undefined) return runBackupCampaign({ databases: database, ...options, say: console.log })
    for (const one of database) await measureBackup(one, { players, say: console.log })
  })
}

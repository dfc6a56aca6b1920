import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { OperatorError } from '../../errors.ts'
import type { RouteResponse } from '../../server/responses.ts'
import { escapeControls } from '../../text.ts'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { CommandFailed } from '../failure.ts'
import { entryLines } from '../output/explanation.ts'
import { printJson, printLine, printText, printValues, table } from '../output/print.ts'
import { defineForgetVersion } from './forget-version.ts'
import { definePrivacy } from './player-privacy.ts'

export function definePlayer(player: Command): void {
  player
    .command('show <user_id>')
    .description('print a player as stored, the points and level, and the entries with their reasons')
    .option(...URL_OPTION)
    .option('--reveal', 'with personal data; recorded in the audit log')
    .option('--limit <count>', 'maximum entries per page, newest first', '20')
    .option('--after <cursor>', 'continue after the previous page')
    .option('--json', 'as JSON')
    .action(playerShow)
  player
    .command('adjust <user_id> [points]')
    .description('add points to a player, or take them away with a minus; or undo an adjustment')
    .option(...URL_OPTION)
    .requiredOption('--reason <text>', 'reason, stored with the entry')
    .option('--id <id>', 'idempotency key (default: generated)')
    .option('--undo <id>', 'undo the adjustment with this ID, instead of points')
    .option('--no-level', 'the points count for the balance, but not for the level')
    .option('--json', 'as JSON')
    .action(playerAdjust)
  player
    .command('redeem <user_id> [points]')
    .description('spend points of a player, or hold them; or buy a reward with them')
    .option(...URL_OPTION)
    .requiredOption('--reason <text>', 'reason, stored with the entry')
    .option('--reward <name>', 'a reward of the program, instead of points')
    .option('--hold', 'hold the points for as long as the program says')
    .option('--order <order_id>', 'the only order that may use the held points')
    .option('--id <id>', 'idempotency key (default: generated)')
    .option('--json', 'as JSON')
    .action(playerRedeem)
  player
    .command('void <user_id> <redemption_id>')
    .description('release held points, or refund points spent without an order')
    .option(...URL_OPTION)
    .requiredOption('--reason <text>', 'reason, stored with the entry')
    .option('--points <count>', 'points to void (default: all); each part needs its own reason')
    .option('--json', 'as JSON')
    .action(playerVoid)
  player
    .command('find <text>')
    .description('list players by ID, e-mail address, phone number or referral code')
    .option(...URL_OPTION)
    .option('--reveal', 'with personal data; recorded in the audit log')
    .option('--limit <count>', 'maximum rows per page', '20')
    .option('--after <cursor>', 'continue after the previous page')
    .option('--json', 'as JSON')
    .action(playerFind)
  definePrivacy(player)
  defineForgetVersion(player, 'player', '<user_id>')
}

type PlayerFindOptions = Readonly<{ url?: string; json?: true; reveal?: true; limit: string; after?: string }>

const COLUMNS = ['user_id', 'name', 'email', 'phone', 'refer_code', 'updated_at'] as const

/** `laurel player find`: the players who have a text as their id, e-mail address, phone number or referral code. */
async function playerFind(text: string, { url, json, reveal, limit, after }: PlayerFindOptions): Promise<void> {
  await withClient(url, async (client) => {
    const response = await client.call('POST /api/admin/players/search', {
      query: { reveal: String(reveal === true), limit, ...(after === undefined ? {} : { after }) },
      data: { user_id: text, email: text, phone: text, refer_code: text },
    })
    if (response.players.length === 0)
      throw new CommandFailed(
        'player not found by ID, e-mail address, phone number (with country code) or referral code; names are not searched',
      )
    if (json) return printJson(response)
    const rows = response.players.map((player) => COLUMNS.map((column) => player[column]))
    printText(table(COLUMNS, rows))
    if (response.after !== null) printLine`\nmore: npx --no laurel player find ${text} --after ${response.after}`
  })
}

type PlayerShowOptions = Readonly<{ url?: string; json?: true; reveal?: true; limit: string; after?: string }>

/** `laurel player show`: the stored record, points and level, and the newest entries, each with its reasons. */
async function playerShow(userId: string, { url, json, reveal, limit, after }: PlayerShowOptions): Promise<void> {
  await withClient(url, async (client) => {
    const params = { user_id: userId }
    const player = await client.call('GET /api/admin/players/:user_id', {
      params,
      query: { reveal: String(reveal === true) },
    })
    const query = { explain: 'true', limit, ...(after === undefined ? {} : { after }) }
    const summary = await client.call('GET /api/players/:user_id', { params, query })
    if (json) return printJson({ ...player, ...summary, name: player.name })
    const { as_of, quality, points, earned, level, next, pending, held, expired, next_expiry } = summary
    const missing = next === null ? '' : `, ${next.missing} points to ${next.name}`
    const values = {
      ...player,
      attributes: JSON.stringify(player.attributes),
      points,
      ...(pending === undefined
        ? {}
        : { as_of, quality, pending, held, expired, 'next to expire': nextExpiryText(next_expiry) }),
      'counts for the level': earned,
      level: `${level}${missing}`,
    }
    printValues(values)
    for (const entry of summary.entries) printText(`\n${entryLines(entry).map(escapeControls).join('\n')}\n`)
    if (summary.after !== null)
      printLine`\nolder entries: npx --no laurel player show ${userId} --after ${summary.after}`
  })
}

function nextExpiryText(next: RouteResponse<'GET /api/players/:user_id'>['next_expiry']): string {
  return next === null || next === undefined ? 'nothing' : `${next.points} points, on ${next.on}`
}

type PlayerAdjustOptions = Readonly<{
  url?: string
  json?: true
  reason: string
  id?: string
  undo?: string
  level: boolean
}>

/** `laurel player adjust`: points that no order earned, or that were spent; or undoes one of these. The same id twice adjusts once. Errors: OperatorError. */
async function playerAdjust(userId: string, points: string | undefined, options: PlayerAdjustOptions): Promise<void> {
  if ((points === undefined) === (options.undo === undefined))
    throw new OperatorError('expected exactly one of points and --undo')
  if (options.undo !== undefined) return undoOne(userId, options.undo, options)
  const { url, json, reason, id = randomUUID(), level: counts } = options
  await withClient(url, async (client) => {
    const adjusted = await client.call('POST /api/players/:user_id/adjustments', {
      params: { user_id: userId },
      data: { id, points, counts, reason },
    })
    if (json) return printJson({ id, ...adjusted })
    const done = adjusted.repeated ? 'was adjusted before' : 'is adjusted'
    printLine`player ${userId} ${done} (${id}): ${adjusted.points} points, level ${adjusted.level}`
  })
}

async function undoOne(userId: string, id: string, { url, json, reason }: PlayerAdjustOptions): Promise<void> {
  await withClient(url, async (client) => {
    const undone = await client.call('POST /api/players/:user_id/adjustments/:adjustment_id/undo', {
      params: { user_id: userId, adjustment_id: id },
      data: { reason },
    })
    if (json) return printJson({ id, ...undone })
    const done = undone.repeated ? 'was undone before' : 'is undone'
    printLine`adjustment ${id} of player ${userId} ${done}: ${undone.points} points, level ${undone.level}`
  })
}

type PlayerRedeemOptions = Readonly<{
  url?: string
  json?: true
  reason: string
  id?: string
  reward?: string
  hold?: true
  order?: string
}>

/** `laurel player redeem`: spends points of a player, or holds them. The same id twice redeems once. */
async function playerRedeem(userId: string, points: string | undefined, options: PlayerRedeemOptions): Promise<void> {
  const { url, json, reason, id = randomUUID(), reward, hold = false, order: order_id } = options
  if ((points === undefined) === (reward === undefined))
    throw new CommandFailed('expected exactly one of points and --reward')
  await withClient(url, async (client) => {
    const redeemed = await client.call('POST /api/players/:user_id/redemptions', {
      params: { user_id: userId },
      data: { id, points, reward, hold, order_id, reason },
    })
    if (json) return printJson(redeemed)
    const done = redeemed.repeated ? 'was redeemed before' : redeemed.state === 'held' ? 'is held' : 'is redeemed'
    const until = redeemed.held_until === undefined ? '' : ` until ${redeemed.held_until}`
    const left = redeemed.account.points
    printLine`${redeemed.points} points of ${userId}: redemption ${id} ${done}${until}, ${left} points are left`
  })
}

type PlayerVoidOptions = Readonly<{ url?: string; json?: true; reason: string; points?: string }>

/** `laurel player void`: releases held points, or gives back points that were spent without an order. */
async function playerVoid(
  userId: string,
  redemptionId: string,
  { url, json, reason, points }: PlayerVoidOptions,
): Promise<void> {
  await withClient(url, async (client) => {
    const voided = await client.call('POST /api/players/:user_id/redemptions/:redemption_id/void', {
      params: { user_id: userId, redemption_id: redemptionId },
      data: { points, reason },
    })
    if (json) return printJson(voided)
    const what = points === undefined ? '' : `${points} points of `
    const done = `${points === undefined ? 'is' : 'are'} voided`
    const when = voided.repeated ? `${points === undefined ? 'was' : 'were'} voided before` : done
    const left = voided.state === 'voided' ? '' : `, ${voided.points} of it are left`
    const { points: spendable } = voided.account
    printLine`${what}redemption ${redemptionId} of ${userId} ${when}${left}: ${spendable} points can be spent`
  })
}

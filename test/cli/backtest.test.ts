/*
 * `laurel program backtest` as a process: the text, the document and the page agree, whatever names occur in them.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openDatabase, serverOf } from '../../src/cli/database.ts'
import { readConfig } from '../../src/config.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { documentOf } from '../../src/resources/backtests/backtest-document.ts'
import { type BacktestWork, backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { publish } from '../support/histories.ts'
import { runOnce } from '../support/postgres-server.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openServerApp } from '../support/test-app.ts'

const HOSTILE = `<script>alert("x")</script><img src=https://evil.example/x onerror='alert(1)'>&amp;`
const PROGRAM = JSON.stringify({
  name: `Shop ${HOSTILE}`,
  rounding: 'half-up',
  levels: {
    counts: 'lifetime',
    ladder: [
      { name: 'Bronze', from: 0 },
      { name: `Top ${HOSTILE}`, from: 100 },
    ],
  },
  earn: [
    { name: `base ${HOSTILE}`, 'per-amount': { points: 1, every: 7, of: 'net' } },
    { name: 'less', when: 'order.net < 50', multiply: { by: '0' } },
  ],
  referral: { friend: 30, referrer: 40 },
})

test('the text, document and page of a backtest agree, and names in them are escaped', async (t) => {
  const directory = temporaryDirectory(t)
  const app = await openServerApp(t)
  const env = { DATABASE_URL: app.databaseUrl }
  const friend = `friend ${HOSTILE}`
  await app.upsertPlayers([
    aPlayer(),
    aPlayer({ User_id: friend, Refercode: '' }),
    aPlayer({ User_id: 'small', Refercode: '' }),
  ])
  const orders = [
    anOrder({
      order_id: `first ${HOSTILE}`,
      user_id: friend,
      refferral_code: 'ASHA',
      total_amount: '1200',
      ordered_at: '2026-01-31T23:59:59Z',
    }),
    anOrder({ order_id: 'second', user_id: friend, total_amount: '100', ordered_at: '2026-02-01T00:00:00Z' }),
    anOrder({ order_id: 'third', user_id: 'small', total_amount: '40', ordered_at: '2026-03-01T00:00:00Z' }),
  ]
  assert.equal((await app.record(orders)).body.inserted, 3)
  const [file, html] = [join(directory, 'program.json'), join(directory, 'page.html')]
  writeFileSync(file, PROGRAM)
  const run = (...args: string[]) => runCommand(['program', 'backtest', file, ...args], env)
  const [text, json] = await Promise.all([
    run('--point-value', '0.015', '--html', html),
    run('--point-value', '0.015', '--json'),
  ])
  assert.deepEqual([text.code, text.stderr, json.code], [0, '', 0])

  const found = JSON.parse(json.stdout)
  // 1200 / 7 = 171.43 and 30 for the friend, 40 for the referrer; 100 / 7 = 14.29; 40 is below 50. Recorded: 120, 10 and 4.
  assert.deepEqual(found.points, { before: '134', after: '255', difference: '121', per_cent: '90.3' })
  assert.deepEqual(found.cost, { before: '2.01', after: '3.825', difference: '1.815' })
  assert.deepEqual(
    found.months.map(({ month, before, after }: Record<string, string>) => [month, before, after]),
    [
      ['2026-01', '120', '241'],
      ['2026-02', '10', '14'],
      ['2026-03', '4', '0'],
    ],
  )
  assert.deepEqual(
    found.rules.map(({ kind, before, after }: Record<string, string>) => [kind, before, after]),
    [
      ['rule', '0', '1340/7'],
      ['rule', '0', '-40/7'],
      ['rule', '134', '0'],
      ['referral', '0', '30'],
      ['rounding', '0', '-5/7'],
      ['referrer', '0', '40'],
    ],
  )
  assert.deepEqual(found.moves, [{ from: 'Bronze', to: `Top ${HOSTILE}`, players: 1, user_ids: [friend] }])
  assert.deepEqual(
    [...found.winners, ...found.losers].map(({ user_id, difference, of_referrals }) => [
      user_id,
      difference,
      of_referrals,
    ]),
    [
      [friend, '85', '0'],
      ['u-1', '40', '40'],
      ['small', '-4', '0'],
    ],
  )

  const page = readFileSync(html, 'utf8')
  const shown = unescaped(page.replace(/<style>.*?<\/style>/s, '').replaceAll(/<[^>]*>/g, ' '))
  for (const number of text.stdout.match(/[\d.,]*\d/g)!) assert(shown.includes(number), `${number} is not on the page`)
  for (const name of [HOSTILE, friend, `first ${HOSTILE}`]) assert(shown.includes(name), name)
  assert.deepEqual(page.match(/<(script|img|link|iframe|object|embed|base|a)\b/gi), null)
  assert.doesNotMatch(page.replaceAll(/>[^<]*</g, '><'), /https?:|url\(|@import|\bon\w+=(?!&)|\bsrc=/i)

  const inTheWay = join(html, 'page.html')
  const [none, faulty, turned, unwritten] = await Promise.all([
    run('--to', '2020-01-01'),
    run('--from', 'yesterday'),
    run('--from', '2026-02-01', '--to', '2026-01-01'),
    run('--html', inTheWay),
  ])
  assert.match(none.stdout, /^Orders +0 of 0 players\nPoints +0 were issued, 0 would have been: 0$/m)
  assert.deepEqual([faulty.code, faulty.stdout], [2, ''])
  assert.match(faulty.stderr, /^laurel: --from is "yesterday": expected a timestamp like \S+, or a date like \S+\n$/)
  assert.deepEqual([turned.code, turned.stdout, turned.stderr], [2, '', 'laurel: --from must be before --to\n'])
  // The result is printed even where the page cannot be written.
  assert.match(unwritten.stdout, /^Program /)
  assert.deepEqual([unwritten.code, unwritten.stderr], [2, `laurel: ${inTheWay}: cannot be written (EEXIST)\n`])
  // The backtest only reads.
  assert.match((await runCommand(['ledger', 'verify'], env)).stdout, /^2 players, 3 orders, 3 entries: no difference$/m)
})

test('a backtest of a shop without orders says that there are none', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'program.json')
  writeFileSync(file, PROGRAM)
  const { code, stdout, stderr } = await runCommand(['program', 'backtest', file], {
    DATABASE_URL: (await openServerApp(t)).databaseUrl,
  })
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^Orders +0 of 0 players$/m)
  assert.match(stdout, /^By month\n\nnothing\n\nBy rule\n\nnothing\n/m)
})

test('a backtest of the very program that all orders were recorded under says why nothing differs', async (t) => {
  const app = await openServerApp(t)
  const file = join(temporaryDirectory(t), 'program.yaml')
  writeFileSync(file, STARTER_PROGRAM)
  await app.upsertPlayers([aPlayer()])
  const run = async (...range: string[]) =>
    (await runCommand(['program', 'backtest', file, ...range], { DATABASE_URL: app.databaseUrl })).stdout
  const same = /^these orders were recorded under this program, so nothing differs: /m
  assert.equal((await app.record([anOrder({ order_id: 'old', ordered_at: '2026-01-01T00:00:00Z' })])).body.inserted, 1)
  assert.match(await run(), same)
  await publish(app, PROGRAM)
  assert.equal((await app.record([anOrder({ order_id: 'new' })])).body.inserted, 1)
  assert.doesNotMatch(await run(), same)
  assert.match(await run('--to', '2026-02-01'), same)
  assert.doesNotMatch(await run('--to', '2020-01-01'), same)
})

test('a file that is not a program is refused with its first faults and the number of the others', async (t) => {
  const file = join(temporaryDirectory(t), 'orders.ndjson')
  writeFileSync(file, `${JSON.stringify({ order_id: 'o-1' })}\n`.repeat(100))
  const { code, stderr } = await runCommand(['program', 'backtest', file], {})
  const lines = stderr.trimEnd().split('\n')
  assert.equal(code, 1)
  assert.match(lines[0]!, /^laurel: .+ has \d+ errors$/)
  assert.match(lines.at(-1)!, /^ {2}and \d+ more$/)
  assert.equal(lines.length, 1 + 20 * 3 + 1, 'each with its line and the paragraph about it')
})

test('several threads produce the same bytes as one, however the players are divided', async (t) => {
  const app = await openServerApp(t)
  // Ids that the database sorts differently from JavaScript.
  const ids = Array.from({ length: 40 }, (_, index) => `${['p', '\u{1f600}', '\uffee'][index % 3]}-${index}`)
  await app.upsertPlayers(ids.map((id, index) => aPlayer({ User_id: id, Refercode: `CODE${index}` })))
  const orders = Array.from({ length: 400 }, (_, index) => {
    const player = (index * 7) % 40
    return anOrder({
      order_id: `o-${index}`,
      user_id: ids[player]!,
      total_amount: String(((index * 37) % 29) * 10),
      refferral_code: player % 4 === 0 ? '' : `CODE${(player * 3) % 40}`,
      ordered_at: new Date(Date.UTC(2026, 0, 1 + (index % 200))).toISOString(),
    })
  })
  assert.equal((await app.record(orders)).body.inserted, 400)

  const config = readConfig({ DATABASE_URL: app.databaseUrl })
  const db = await openDatabase(config, () => undefined, assert.fail)
  t.after(() => db.close())
  const windows = PROGRAM.replace('"lifetime"', '{"window":"P2M"}')
  for (const source of [PROGRAM, windows]) {
    const request = { source, now: '2026-08-01T00:00:00.000Z' }
    const found = async (work: BacktestWork) => {
      const progress: number[] = []
      const outcome = await backtestProgram(db, request, (done) => progress.push(done), work)
      assert.deepEqual([progress[0], progress.at(-1)], [0, 400])
      assert.deepEqual(
        progress,
        progress.toSorted((a, b) => a - b),
      )
      return JSON.stringify(documentOf(outcome, '0.01'))
    }
    const one = await found({})
    assert.equal(JSON.parse(one).moves.length > 0 && JSON.parse(one).winners.length, 10)
    for (const [threads, rangeOrders] of [
      [1, 4_000],
      [2, 50],
      [3, 1],
    ] as const)
      assert.equal(await found({ server: serverOf(config), threads, rangeOrders }), one)
  }
})

test('a failed thread fails the backtest with its error', async (t) => {
  const directory = temporaryDirectory(t)
  const app = await openServerApp(t)
  const env = { DATABASE_URL: app.databaseUrl }
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder({ order_id: 'only' })])
  await runOnce(env.DATABASE_URL, 'delete from accounts')
  const file = join(directory, 'program.json')
  writeFileSync(file, PROGRAM)
  const { code, stdout, stderr } = await runCommand(['program', 'backtest', file], env)
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^laurel: a player has orders but no account: run laurel ledger verify\n$/)
})

const SIGNS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }

function unescaped(html: string): string {
  return html.replaceAll(/&(?:#(\d+)|(\w+));/g, (_, code, name) => SIGNS[name] ?? String.fromCharCode(Number(code)))
}

test('a campaign that is still to come is said to have applied to no order, and --weeks-earlier moves it onto past days', async (t) => {
  const app = await openServerApp(t)
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  await app.upsertPlayers([aPlayer()])
  const past = Array.from({ length: 20 }, (_, index) => day(-index - 1))
  const orders = past.map((on) => anOrder({ order_id: on, total_amount: 100, ordered_at: `${on}T12:00:00Z` }))
  assert.equal((await app.record(orders)).body.inserted, 20)
  const file = join(temporaryDirectory(t), 'program.yaml')
  const rule = `  - { name: weekend, during: { from: ${day(3)}, until: ${day(5)} }, fixed: { points: 50 } }`
  writeFileSync(file, STARTER_PROGRAM.replace('earn:\n', `earn:\n${rule}\n`))
  const run = (...args: string[]) =>
    runCommand(['program', 'backtest', file, ...args], { DATABASE_URL: app.databaseUrl })
  const coming = await run()
  const [said, offered] = [
    `weekend applied to 0 of 20 orders: none is in its date range, ${day(3)} to ${day(5)}`,
    `to see them on past days, ${day(-4)} to ${day(-2)}: --weeks-earlier 1`,
  ]
  assert(coming.stdout.includes(`${said}\n${offered}\n`), coming.stdout)
  assert.match(coming.stdout, /^weekend +0 +0 +0$/m)
  const moved = await run('--weeks-earlier', '1')
  assert(moved.stdout.includes(`Moved    weekend, 1 week earlier, ${day(-4)} to ${day(-2)}: 3 orders\n`), moved.stdout)
  assert.match(moved.stdout, /^weekend +0 +150 +\+150$/m)
  const { campaigns, past_days, points } = JSON.parse((await run('--weeks-earlier', '1', '--json')).stdout)
  assert.deepEqual(campaigns, [{ rule: 'weekend', from: day(-4), until: day(-2), orders: 3, weeks_earlier: 1 }])
  assert.deepEqual([past_days, points.difference], [null, '150'])
  const empty = await run('--from', '2036-01-01')
  assert.match(empty.stdout, /^no recorded orders in this period: nothing to compare$/m)
  const wrong = await run('--weeks-earlier', '0.5')
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /--weeks-earlier is "0.5": expected an integer between 0 and 520/)
})

test('--attributes now computes orders with what their products have now, and the report says so either way (decision 161)', async (t) => {
  const app = await openServerApp(t)
  await app.upsertPlayers([aPlayer()])
  const products = [{ product_sku_id: 'TEA', amount: '100' }]
  await app.record([anOrder({ total_amount: '100', discount: '0', products })])
  await app.upsertProducts([aProduct({ product_sku_id: 'TEA', attributes: { category: 'tea' } })])
  const directory = temporaryDirectory(t)
  const [file, html] = [join(directory, 'program.yaml'), join(directory, 'page.html')]
  const rule = '  - { name: tea, when: line.attributes.category == "tea", fixed: { points: 50 } }'
  const attributes = 'attributes: { product: { category: text } }\n'
  writeFileSync(file, STARTER_PROGRAM.replace('earn:\n', `${attributes}earn:\n${rule}\n`))
  const run = (...args: string[]) =>
    runCommand(['program', 'backtest', file, ...args], { DATABASE_URL: app.databaseUrl })
  const said = '1 order had products without attributes of this program that the catalogue has now: computed'
  const recorded = await run()
  assert(
    recorded.stdout.includes(`${said} without them\nto compute them with today's catalogue: --attributes now\n`),
    recorded.stdout,
  )
  assert.match(recorded.stdout, /^tea +0 +0 +0$/m)
  const now = await run('--attributes', 'now', '--html', html)
  assert(now.stdout.includes(`${said} with those of today's catalogue\n`), now.stdout)
  assert(!now.stdout.includes('--attributes'), now.stdout)
  assert.match(now.stdout, /^tea +0 +50 +\+50$/m)
  assert(unescaped(readFileSync(html, 'utf8')).includes(`${said} with those of today's catalogue.`))
  const found = JSON.parse((await run('--attributes', 'now', '--json')).stdout)
  assert.deepEqual([found.attributes, found.without_attributes], ['now', 1])
  const wrong = await run('--attributes', 'later')
  assert.deepEqual(
    [wrong.code, wrong.stdout, wrong.stderr],
    [2, '', 'laurel: --attributes is "later": expected recorded or now\n'],
  )
})

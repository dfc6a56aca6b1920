import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barsOf } from '../../src/cli/output/print.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts, sweptAccounts } from '../support/counted-accounts.ts'
import { runCommand } from '../support/run-command.ts'
import { openServerApp } from '../support/test-app.ts'

test('laurel stats prints statistics as tables, or as the JSON of the service', async (t) => {
  const app = await openServerApp(t)
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder({ total_amount: 1000, ordered_at: '2026-06-01T12:00:00Z' })])
  await app.ask('POST', '/api/players/u-1/adjustments', {
    body: { data: { id: 'a', points: -30, counts: false, reason: 'r' } },
  })
  await sweptAccounts(app)
  await foldedAccounts(app)
  await app.service.deps.activity.flush()
  const stats = (...args: string[]) => runCommand(['stats', ...args, '--url', app.url], { LAUREL_TOKEN: app.token })
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await stats(...args)
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
    return stdout
  }
  const timeless = (text: string) => text.replaceAll(/T\S+Z/g, '')
  const june = ['--from', '2026-06-01', '--to', '2026-06-30']
  const summary = await printed(...june, '--compare')
  assert.match(
    summary,
    /^2026-06-01 to 2026-06-30 by order date, as of \S+\n\nfigure +count +points +previous +previous points +quality +as of\n/,
  )
  assert.match(summary, /^issued +1 +100 +0 +0 +exact +\S+Z$/m)
  // Nothing was booked by the end of June, and all of it since.
  assert.match(summary, /^balance +- +0 +- +0 +exact +2026-07-01T00:00:00\.000Z$/m)
  assert.match(summary, /^outstanding +- +70 /m)
  const ofAccounts = ['outstanding', 'pending', 'held', 'expired', 'active-30', 'active-90']
  for (const one of [summary, await printed()])
    for (const figure of ofAccounts) assert.match(one, new RegExp(`^${figure} .* exact +\\S+Z$`, 'm'))
  assert.match(
    summary,
    /^balance, debts: by posting date, at the end of the range\.\noutstanding to active-90: as accounts are now, whatever the range\.$/m,
  )
  assert.match(summary, /^issued: all points issued, including by adjustments; reversed points are in taken-back\.$/m)
  assert.match(summary, /^previous period: 2026-04-27 to 2026-05-26$/m)
  assert.match(
    await printed('rules', ...june),
    /^measure +key +version +count +points +quality\nrule +base +1 +1 +100 +exact$/m,
  )
  assert.match(await printed('orders', ...june, '--per', 'month'), /^2026-06 +orders +1 +1 +100 +exact$/m)
  assert.match(
    await printed('accounts'),
    /^balance +70 +swept +\S+Z$[\s\S]*^outstanding +70 +exact +\S+Z$[\s\S]*^players as of \S+Z, swept$[\s\S]*^largest balances as of \S+Z, swept$[\s\S]*^u-1 +70$/m,
  )
  assert.match(
    await printed('levels', ...june),
    /^No level changes\.$[\s\S]*^players as of \S+Z, swept$[\s\S]*^Bronze +1$/m,
  )
  const sources = await printed('sources')
  assert.match(
    sources,
    /^\S+ to \S+, as of \S+Z, counted\n\nrecord type +token [\s\S]*^players +\S+ +\S+Z +1 +1 +0 +0 +0 +0 +0$/m,
  )
  assert.equal(timeless(await printed('feeds')), timeless(sources), 'decision 219')
  const { feeds } = JSON.parse(await printed('feeds', '--json'))
  assert.deepEqual(
    feeds.map(({ noun }: { noun: string }) => noun),
    ['orders', 'players'],
  )
  assert.match(
    await printed('service'),
    /^since \S+Z, as of \S+Z, counted\n[\s\S]*^POST \/api\/integration\/orders +1 +0 +0 +0 +/m,
  )
  assert.match(await printed('points', '--from', '2020-01-01', '--to', '2020-01-02'), /^No figures\.$/m)
  assert.equal(JSON.parse(await printed('points', ...june, '--json')).lines[0].points, '100')
  for (const [args, error] of [
    [['cats'], /Allowed choices are summary/],
    [['rules', '--compare'], /--compare does not apply to these figures/],
    [['--from', 'x'], /query\.from: expected a date like 2026-01-31, got "x"/],
  ] as const) {
    const { code, stdout, stderr } = await stats(...args)
    assert.deepEqual([code !== 0, stdout], [true, ''])
    assert.match(stderr, error)
  }
})

test('bars are as wide as their share of the largest, and one too narrow to see is left out', () => {
  assert.deepEqual(barsOf([0, 1, 50, 100], true), ['', '▇', '▇'.repeat(10), '▇'.repeat(20)])
  assert.deepEqual(barsOf([-100, 100], true), ['░'.repeat(20), '▇'.repeat(20)])
  assert.deepEqual(barsOf([0, 0], true), ['', ''])
  assert.deepEqual(barsOf([1, 2], false), ['', ''])
})

test('laurel job lists the jobs of a service, cancels one, and requests the backfill of statistics (decision 128)', async (t) => {
  const app = await openServerApp(t)
  const job = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['job', ...args, '--url', app.url], { LAUREL_TOKEN: app.token })
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
    return stdout
  }
  assert.equal(await job('list'), 'There are no jobs.\n')
  const [, id = ''] =
    (await job('backfill')).match(/^job ([0-9a-f]{12}) runs the backfill: npx --no laurel job list /) ?? []
  assert.match(await job('list'), new RegExp(`^${id} +backfill +waiting +\\S+Z`, 'm'))
  assert.equal(await job('cancel', id), `job ${id} (backfill) is cancelled\n`)
  assert.equal(JSON.parse(await job('list', '--json'))[0].state, 'cancelled')
})

test('laurel stats attributes prints orders and points by the attribute that the program names (decision 168)', async (t) => {
  const app = await openServerApp(t)
  const source = `name: Test
attributes: { order: { store: text } }
statistics: { by: store }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
`
  await app.ask('POST', '/api/admin/programs', { body: { data: { source, from: '2026-01-01T00:00:00Z' } } })
  await app.upsertPlayers([aPlayer()])
  const sent = anOrder({ total_amount: 1000, ordered_at: '2026-06-01T12:00:00Z', attributes: { store: 'paris' } })
  await app.record([sent, { ...sent, order_id: 'o-2', attributes: {} }])
  const args = ['stats', 'attributes', '--from', '2026-06-01', '--to', '2026-06-30', '--url', app.url]
  const { code, stdout, stderr } = await runCommand(args, { LAUREL_TOKEN: app.token })
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(
    stdout,
    /^measure +key +version +count +points +quality\nattribute +2 +1 +100 +exact.*\nattribute +paris +2 +1 +100 +exact/m,
  )
})

/*
 * Every figure that the console shows, recomputed from the responses of the API that the page was given.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { LINE_WORDS, NOTHING_WORDS } from '../../console/src/words.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { emptyService, jobService, startBrowserTest } from '../support/browser-test.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import {
  assertFiguresKnown,
  collectResponses,
  dayWords,
  figuresBrokenAt,
  groupedDigits,
  type Json,
  readShownPage,
  responseFor,
  roundedSumOf,
  type ShownPage,
  type ShownRow,
  shareOf,
  signedDigits,
  stepsOf,
} from '../support/console-figures.ts'
import { foldedAccounts } from '../support/counted-accounts.ts'
import { eventually } from '../support/waiting.ts'

const SOURCE = `name: London
time-zone: Europe/London
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Gold, from: 100000000 }, { name: Platinum, from: 9000000000 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 1 } }
  - { name: extra, per-amount: { points: 1, every: 7 } }
referral: { friend: 5, referrer: 7 }
points: { pending: { days: 2 }, expire: { after: P12M } }
redeem: { value: { points: 100, pays: 1 }, step: 100 }
`
const CASES = `cases:
  - name: small
    orders:
      - { total_amount: 119, expect: { points: 255 } }
  - name: wrong
    orders:
      - { total_amount: 119, expect: { points: 1 } }
`
/** Many small orders earn more than a large one. The longer the conditions are, the fewer orders are tried. */
const SPLITTABLE = [
  STARTER_PROGRAM,
  ...Array.from(
    { length: 15 },
    (_, n) => `  - { name: ${n}th, fixed: { points: 1 }, when: "true${' '.repeat(1_900)}" }\n`,
  ),
].join('')
const IDS = ['asha@example.com', '1234567890'] as const
const FRIEND = 'friend'
const DAY_MS = 86_400_000
/** The width of a small phone. */
const NARROW = 360
/** How long after an order the service compares it with its predictions, and more. */
const COMPARED_AFTER_MS = 20_000
/** The paths of visits that come last, when jobs are done: those that show their results, and those whose responses jobs slow down. */
const OF_JOBS = /^\/program\/drafts|^\/try|tab=jobs/
const ROUTER = new URL('../../console/src/app.tsx', import.meta.url)

/** A service whose figures have nine digits, with something of everything that the console shows. */
async function largeService(t: Parameters<typeof emptyService>[0]) {
  const clock = { behindMs: COMPARED_AFTER_MS }
  const app = await jobService(t, { now: () => new Date(Date.now() - clock.behindMs) })
  const good = async (asked: ReturnType<typeof app.ask>) => {
    const { status, text, body } = await asked
    assert.equal(status, 200, text)
    return body
  }
  const post = (path: string, data: object) => good(app.ask('POST', path, { body: { data } }))
  await post('/api/admin/programs', { source: SOURCE, from: '2020-01-01T00:00:00Z' })
  await good(
    app.upsertPlayers([...IDS, FRIEND].map((id, index) => aPlayer({ User_id: id, Refercode: `CODE${index}` }))),
  )
  await good(app.upsertProducts([aProduct(), aProduct({ product_sku_id: 'mug', amount: '987654321.25' })]))
  await good(app.upsertProducts([aProduct({ amount: '4.75' }), aProduct({ product_sku_id: 'cup', amount: 'dear' })]))
  const order = (order_id: string, user_id: string, total_amount: string, daysAgo: number, more: object = {}) => ({
    ...anOrder({ order_id, user_id, total_amount }),
    ordered_at: new Date(Date.now() - COMPARED_AFTER_MS - daysAgo * DAY_MS).toISOString(),
    ...more,
  })
  const predicted = order('o-3', IDS[0], '311222333.4', 0)
  await good(app.predict(predicted))
  await good(app.predict(order('o-6', IDS[1], '1000', 0)))
  const unknown = { products: [{ product_sku_id: 'lamp', amount: '1234567.5', qty: '3' }] }
  await good(
    app.record([
      order('o-1', IDS[0], '987654321', 5),
      order('o-2', IDS[1], '123456789', 4),
      predicted,
      order('o-4', IDS[1], '0', 1),
      order('o-5', IDS[1], '222333444', 3),
      order('o-6', IDS[1], '500', 0),
      order('o-old', IDS[0], '111222333', 40, unknown),
      order('f-1', FRIEND, '70', 1, { refferral_code: 'CODE0' }),
    ]),
  )
  await good(app.record([order('o-5', IDS[1], '222333444', 3, { status: 'cancelled' })]))
  const account = `/api/players/${encodeURIComponent(IDS[0])}`
  await post(`${account}/adjustments`, { id: 'till-1', points: -123456, counts: false, reason: 'spent' })
  await post(`${account}/redemptions`, { id: 'held', points: 1234500, hold: true, reason: 'a lamp' })
  await post(`${account}/redemptions`, { id: 'cup', points: 4500, reason: 'a cup' })
  await post(`${account}/redemptions/cup/void`, { points: 500, reason: 'a smaller cup' })
  clock.behindMs = 0
  await app.service.deps.predictions.flush()
  await app.service.deps.activity.flush()
  await foldedAccounts(app)

  const source = SOURCE.replace('points: 1, every: 1 ', 'points: 2, every: 1 ')
  const draft = await post('/api/admin/drafts', { name: 'Double', source, cases: CASES, based_on: 2 })
  const today = new Date().toISOString().slice(0, 10)
  const start = async (data: object): Promise<string> => (await post('/api/admin/jobs', data)).id
  const jobs = {
    verify: await start({ kind: 'verify' }),
    report: await start({ kind: 'points-report', from: '2026-01-01', to: today }),
    backtest: await start({ kind: 'backtest', source }),
    probe: await start({ kind: 'probe', source: SPLITTABLE, seed: 1 }),
  }
  const jobsEnd = () =>
    eventually('the jobs are done', async () => {
      const { body } = await app.ask('GET', '/api/admin/jobs')
      return body.jobs.every(({ state, error }: Json) => {
        assert.notEqual(state, 'failed', error)
        return state === 'done'
      })
    })
  return { app, draft: draft.id as string, jobs, jobsEnd }
}

type Visit = Readonly<{
  /** The page, as the router has it. */
  route: string
  path: string
  heading: string
  /** What is there when all is loaded. */
  seen: string | RegExp
  act?: (page: Page) => Promise<unknown>
  /** Compares the figures with the responses, and returns numbers that follow from these in other ways. */
  check: (shown: ShownPage, reply: (path: string) => Json) => readonly (string | number | bigint)[]
}>

const sumN = (lines: readonly Json[]): number => lines.reduce((all: number, { n }) => all + n, 0)
const ofCards = ({ cards }: ShownPage) => Object.fromEntries([...cards].map(([name, { value }]) => [name, value]))
const column = (rows: readonly ShownRow[] | undefined, name: string) => rows?.map((row) => row[name])
const points = (number: number) => `${groupedDigits(number)} points`

/** Asserts that cards with these names have these values. */
function assertCards(shown: ShownPage, expected: Readonly<Record<string, string>>): void {
  const all = ofCards(shown)
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, all[name]])), expected)
}

/** Asserts what columns of a table have: one value for each record. */
function assertColumns<One>(
  rows: readonly ShownRow[] | undefined,
  records: readonly One[],
  expected: Readonly<Record<string, (record: One) => string>>,
): void {
  assert(records.length > 0, 'there is nothing to compare')
  for (const [name, of] of Object.entries(expected)) assert.deepEqual(column(rows, name), records.map(of), name)
}

const OVERVIEW: Visit = {
  route: '/',
  path: '/',
  heading: 'Overview',
  seen: 'Players by level',
  check: (shown, reply) => {
    const { figures, worth } = reply('/api/admin/statistics/summary')
    const of = (name: string) => figures.find(({ figure }: Json) => figure === name)
    const rules: Json[] = reply('/api/admin/statistics/rules').lines
    const { levels, moves } = reply('/api/admin/statistics/levels')
    const orders: Json[] = reply('/api/admin/statistics/orders').lines
    const compared = of('came-true').n + of('differed').n
    assertCards(shown, {
      'Points issued': groupedDigits(of('issued').points),
      Reversed: groupedDigits(-BigInt(of('taken-back').points)),
      Spent: groupedDigits(-BigInt(of('spent').points)),
      Owed: groupedDigits(of('outstanding').points),
      Orders: groupedDigits(of('orders').n),
      'Zero-point orders': `${shareOf(of('nothing').n, of('orders').n)} %`,
      'Prediction accuracy': `${shareOf(of('came-true').n, compared)} %`,
    })
    assert(BigInt(of('outstanding').points) > 100_000_000n)
    const [whole, decimals = ''] = roundedSumOf([worth.outstanding]).split('.')
    const money = `${groupedDigits(whole!)}.${decimals.padEnd(2, '0')}`
    const pending = groupedDigits(of('pending').points)
    assert.equal(shown.cards.get('Owed')!.note, `= ${money}, and ${pending} pending, as of now`)

    const sums = Map.groupBy(rules, ({ measure, key }) => (measure === 'rule' ? key : LINE_WORDS[measure]))
    const byRule = [...sums].map(([name, lines]) => [name, roundedSumOf(lines.map((line) => line.points))] as const)
    const shownRules = shown.tables['Points by rule']!.map((row) => [row.Rule, row.Points])
    assert.deepEqual(
      Object.fromEntries(shownRules),
      Object.fromEntries(byRule.filter(([, sum]) => sum !== '0').map(([name, sum]) => [name, groupedDigits(sum)])),
    )
    const players = sumN(levels)
    assertColumns(shown.tables['Players by level'], levels, {
      Level: ({ level }: Json) => level,
      Players: ({ n }: Json) => `${groupedDigits(n)} ${shareOf(n, players)} %`,
    })
    const nothings = Map.groupBy(
      orders.filter(({ measure }) => measure === 'nothing'),
      ({ key }) => key,
    )
    const reasons = [...nothings].map(([reason, lines]) => ({ reason, n: sumN(lines) }))
    assertColumns(shown.tables['Zero-point reasons'], reasons, {
      Reason: ({ reason }) => NOTHING_WORDS[reason]!,
      Orders: ({ n }) => `${groupedDigits(n)} ${shareOf(n, of('nothing').n)} %`,
    })
    const days = shown.tables['Points issued']!
    const sumOf = (name: string) => roundedSumOf(column(days, name)!.map((text) => text!.replaceAll(',', '')))
    assert.deepEqual([sumOf('points'), sumOf('points then')], [of('issued').points, of('issued').points_before])
    return [
      ...byRule.map(([, sum]) => sum.replace('-', '')),
      ...[...levels, ...reasons].map(({ n }) => shareOf(n, n === 0 ? 1 : players)),
      ...reasons.map(({ n }) => shareOf(n, of('nothing').n)),
      ...changesOf(figures),
      ...issuedByDay(reply('/api/admin/statistics/points').lines),
      shareOf(of('nothing').n, of('orders').n),
      shareOf(of('came-true').n, compared),
      sumN(moves),
      money.replaceAll(',', ''),
    ]
  },
}

const PREDICTIONS: Visit = {
  route: '/predictions',
  path: '/predictions',
  heading: 'Predictions',
  seen: 'Requests by token',
  check: (shown, reply) => {
    const lines: Json[] = reply('/api/admin/statistics/predictions').lines
    const of = (...measures: string[]) => lines.filter(({ measure }) => measures.includes(measure))
    const [came, differed] = [sumN(of('came-true')), sumN(of('differed'))]
    const asked = sumN(of('asked-kept', 'asked-left-out', 'asked-dropped'))
    const recorded = came + differed + sumN(of('none-kept', 'not-compared'))
    const difference = roundedSumOf(of('differed').map((line) => line.points))
    assertCards(shown, {
      Requests: groupedDigits(asked),
      'Prediction accuracy': `${shareOf(came, came + differed)} %`,
      Differed: groupedDigits(differed),
      'Predicted − recorded': groupedDigits(difference),
      'Predicted orders': `${shareOf(came + differed, recorded)} %`,
    })
    assert.equal(shown.cards.get('Predicted − recorded')!.note, `over ${differed} orders`)
    assertColumns(shown.tables.Differences, of('differed'), {
      Orders: (line) => `${line.n} ${signedDigits(line.points)} points predicted`,
    })
    assertColumns(shown.tables['Requests by token'], of('asked-kept'), {
      Stored: ({ n }) => groupedDigits(n),
      'Left out': () => groupedDigits(sumN(of('asked-left-out'))),
      Dropped: () => groupedDigits(sumN(of('asked-dropped'))),
    })
    assert.equal(sumN(column(shown.tables.Requests, 'predictions')!.map((n) => ({ n: Number(n) }))), asked)
    return [asked, came, differed, recorded, shareOf(came, came + differed), shareOf(came + differed, recorded)]
  },
}

const FEEDS: Visit = {
  route: '/feeds',
  path: '/feeds',
  heading: 'Sources',
  seen: 'By field and reason',
  check: (shown, reply) => {
    const { sources } = reply('/api/admin/sources?')
    const { refusals } = reply('/api/admin/sources/products/refusals')
    const sumOf = (field: string) => sources.reduce((all: number, source: Json) => all + source[field], 0)
    const [taken, refused] = [sumOf('inserted') + sumOf('changed') + sumOf('unchanged'), sumOf('refused')]
    assertCards(shown, {
      Sources: groupedDigits(sources.length),
      Requests: groupedDigits(sumOf('requests')),
      'Records accepted': groupedDigits(taken),
      'Records refused': groupedDigits(refused),
    })
    assert.equal(shown.cards.get('Records refused')!.note, `${shareOf(refused, taken + refused)} % of both`)
    const dashed = (number: number) => (number === 0 ? '–' : groupedDigits(number))
    const share = (source: Json) => shareOf(source.refused, source.inserted + source.updated + source.skipped)
    assertColumns(shown.tables.Sources, sources, {
      Requests: (source: Json) => dashed(source.requests),
      New: (source: Json) => dashed(source.inserted),
      Changed: (source: Json) => dashed(source.changed),
      Unchanged: (source: Json) => dashed(source.unchanged),
      Refused: (source: Json) => (source.refused === 0 ? '–' : `${source.refused} ${share(source)} %`),
    })
    assertColumns(shown.tables['Refused products'], refusals, {
      Records: ({ n }: Json) => `${n} ${shareOf(n, sumN(refusals))} %`,
    })
    return [
      ...[taken, refused, sources.length, sumOf('requests'), shareOf(refused, taken + refused)],
      ...[...sources.map(share), ...refusals.map(({ n }: Json) => shareOf(n, sumN(refusals)))],
    ]
  },
}

const LISTS: readonly Visit[] = [
  {
    route: '/players',
    path: '/players',
    heading: 'Players',
    seen: IDS[1],
    check: (shown, reply) => {
      assertColumns(shown.tables.Players, reply('/api/admin/players').players, { Player: (one: Json) => one.user_id })
      return []
    },
  },
  {
    route: '/orders',
    path: '/orders',
    heading: 'Orders',
    seen: 'o-old',
    check: (shown, reply) => assertOrders(shown, reply('/api/admin/orders').orders),
  },
  {
    route: '/products',
    path: '/products',
    heading: 'Products',
    seen: 'mug',
    check: (shown, reply) => {
      const { products } = reply('/api/admin/products')
      assertColumns(shown.tables.Products, products, {
        Price: ({ price }: Json) => groupedDigits(price),
        Changes: ({ rev }: Json) => groupedDigits(rev - 1),
      })
      return products.map(({ rev }: Json) => rev - 1)
    },
  },
  {
    route: '/products',
    path: '/products?tab=unknown',
    heading: 'Products',
    seen: 'lamp',
    check: (shown, reply) => {
      assertColumns(shown.tables['Unknown products'], reply('/api/admin/statistics/unknown-products').products, {
        Orders: ({ orders }: Json) => groupedDigits(orders),
        Predictions: ({ predictions }: Json) => groupedDigits(predictions),
      })
      return []
    },
  },
]

function assertOrders(shown: ShownPage, orders: readonly Json[]): [] {
  assertColumns(shown.tables.Orders, orders, {
    Order: ({ order_id }) => order_id,
    Total: ({ total }) => groupedDigits(total),
    Points: (order) => groupedDigits(order.points),
    Program: ({ program }) => `v${program}`,
    Revisions: ({ rev }) => groupedDigits(rev),
  })
  return []
}

function ofOrder(id: string): Visit {
  return {
    route: '/orders/:id',
    path: `/orders/${id}`,
    heading: id,
    seen: 'Revision 1',
    check: (shown, reply) => {
      const order = reply(`/api/admin/orders/${id}`)
      assertCards(shown, {
        Points: groupedDigits(order.points),
        Total: groupedDigits(order.total),
        Program: `version ${order.program}`,
        Revisions: groupedDigits(order.rev),
      })
      const toReferrer =
        order.referrer_points === 0 ? '' : `and ${groupedDigits(order.referrer_points)} to the referrer`
      assert.equal(shown.cards.get('Points')!.note, toReferrer)
      for (const revision of order.revisions)
        assert(shown.text.includes(`${signedDigits(revision.points)} points`), `${id}, revision ${revision.revision}`)
      assert.equal(
        order.revisions.reduce((all: number, revision: Json) => all + revision.points, 0),
        order.points,
      )
      const explained = order.revisions.map(({ explanation }: Json) => stepsOf(explanation))
      assert.deepEqual(shown.waterfalls, explained)
      assertColumns(shown.tables.Lines, order.lines, {
        Quantity: ({ qty }: Json) => groupedDigits(qty),
        Amount: ({ amount }: Json) => groupedDigits(amount),
      })
      return explained.flat().map(([, text]: [string, string]) => text.replace(/[+−]/, ''))
    },
  }
}

/** The figures above the tabs of a player. */
function assertAccountSummary(shown: ShownPage, account: Json): void {
  assertCards(shown, {
    Balance: points(account.points),
    Pending: points(account.pending),
    Held: points(account.held),
    Expired: points(account.expired),
    Earned: points(account.earned),
    Level: account.level,
  })
  const { next_expiry: expiry, next } = account
  assert.equal(
    shown.cards.get('Balance')!.note,
    expiry ? `${groupedDigits(expiry.points)} expire on ${dayWords(expiry.on)}` : '',
  )
  assert.equal(shown.cards.get('Level')!.note, `${groupedDigits(next.missing)} to ${next.name}`)
  const parts = ['points', 'pending', 'held', 'expired'].map((part) => account[part])
  assert.equal(
    parts.reduce((all, part) => all + part, 0),
    account.booked,
  )
}

function ofPlayer(id: string): Visit[] {
  const onTab = (tab: string, seen: string | RegExp, check: Visit['check'], act?: Visit['act']): Visit => ({
    route: '/players/:id',
    path: `/players/${encodeURIComponent(id)}${tab === '' ? '' : `?tab=${tab}`}`,
    heading: id,
    seen,
    ...(act === undefined ? {} : { act }),
    check: (shown, reply) => {
      assertAccountSummary(shown, reply(`/api/players/${id}?`))
      return check(shown, reply)
    },
  })
  return [
    onTab(
      '',
      'Newest first',
      (shown, reply) => {
        const { entries } = reply(`/api/players/${id}?`)
        assertColumns(shown.tables.Entries, entries, {
          Entry: ({ seq }: Json) => String(seq),
          Points: (entry: Json) => signedDigits(entry.points),
          Program: ({ program }: Json) => (program === undefined ? '' : `v${program}`),
        })
        const { explanation } = entries.find((entry: Json) => entry.explanation !== undefined)
        assert.deepEqual(shown.waterfalls, [stepsOf(explanation)])
        return stepsOf(explanation).map(([, text]) => text.replace(/[+−]/, ''))
      },
      (page) => page.getByRole('button', { name: 'Why' }).first().click(),
    ),
    onTab('balance', 'Remaining points', (shown, reply) => {
      const { lots } = reply(`/api/players/${id}?`)
      assertColumns(shown.tables['Remaining points'], lots, {
        Points: (lot: Json) => groupedDigits(lot.points),
        'Usable from': ({ usable_on }: Json) => (usable_on === undefined ? 'now' : dayWords(usable_on)),
        'Expires on': ({ expires_on }: Json) => dayWords(expires_on),
      })
      const { redemptions } = reply(`/api/players/${id}/redemptions`)
      if (redemptions.length > 0)
        assertColumns(shown.tables['Holds and redemptions'], redemptions, {
          Points: (one: Json) => groupedDigits(one.points),
          Pays: ({ pays }: Json) => pays,
        })
      return []
    }),
    onTab('orders', 'By order ID', (shown, reply) => assertOrders(shown, reply('/api/admin/orders').orders)),
    onTab('predictions', 'By order ID, in descending order', (shown, reply) => {
      assertColumns(shown.tables.Predictions, reply(`/api/admin/players/${id}/predictions`).predictions, {
        Predicted: (one: Json) => groupedDigits(one.points),
        Recorded: recordedText,
      })
      return []
    }),
    onTab('referrals', 'Orders of friends', (shown, reply) => {
      const { orders } = reply('/api/admin/orders')
      if (orders.length > 0)
        assertColumns(shown.tables['Orders of friends'], orders, {
          'Earned here': ({ referrer_points }: Json) => signedDigits(referrer_points),
          'Earned by the friend': (order: Json) => groupedDigits(order.points),
        })
      return []
    }),
    onTab('data', 'As stored', (shown, reply) => {
      assert.match(shown.facts['Last changed']!, new RegExp(`, revision ${reply(`/api/admin/players/${id}`).rev}$`))
      return []
    }),
  ]
}

function ofProgram({ draft, jobs }: Awaited<ReturnType<typeof largeService>>): Visit[] {
  const onTab = (tab: string, seen: string | RegExp, check: Visit['check']): Visit => ({
    route: '/program/drafts/:id',
    path: `/program/drafts/${draft}${tab === '' ? '' : `?tab=${tab}`}`,
    heading: 'Double',
    seen,
    check: (shown, reply) => {
      const { cases, faults } = reply('/api/admin/programs/check')
      const asExpected = cases.filter(({ as_expected }: Json) => as_expected).length
      const label = shown.tabs.find((one) => one.tab === 'cases')!.text
      assert.equal(label, `Cases (${asExpected} of ${cases.length})`)
      assert.deepEqual([faults.length, shown.tabs[0]!.text], [0, 'Edit'])
      return [asExpected, cases.length, ...check(shown, reply)]
    },
  })
  return [
    {
      route: '/program',
      path: '/program',
      heading: 'Program',
      seen: 'v2 London',
      check: (shown, reply) => {
        assertColumns(shown.tables.Versions, reply('/api/admin/programs').programs.toReversed(), {
          Version: ({ version, name }: Json) => `v${version} ${name}`,
        })
        assertColumns(shown.tables.Drafts, reply('/api/admin/drafts').drafts, {
          From: ({ based_on }: Json) => `v${based_on}`,
          Revision: ({ revision }: Json) => groupedDigits(revision),
        })
        return []
      },
    },
    {
      route: '/program/versions/:version',
      path: '/program/versions/2',
      heading: 'London, version 2',
      seen: 'In effect from',
      check: (_, reply) => {
        assert.equal(reply('/api/admin/programs/2').source, SOURCE)
        return []
      },
    },
    onTab('', 'No errors.', () => []),
    onTab('diff', '@@', (shown, reply) => {
      assert.deepEqual(shown.pres, [`${reply('/api/admin/programs/diff').patch}\n`])
      return []
    }),
    onTab('cases', 'as expected', (shown, reply) => {
      const orders = reply('/api/admin/programs/check').cases.flatMap((one: Json) => one.orders)
      assert.deepEqual(
        shown.waterfalls,
        orders.map(({ explanation }: Json) => stepsOf(explanation)),
      )
      for (const { expected, actual } of orders.flatMap(({ mismatches }: Json) => mismatches))
        assert(shown.text.includes(`expected ${expected} , got ${actual}`), shown.text)
      return shown.waterfalls.flat().map(([, text]) => text.replace(/[+−]/, ''))
    }),
    onTab(`backtest&backtest=${jobs.backtest}`, 'later records are not included', (shown, reply) => {
      const { result } = reply(`/api/admin/jobs/${jobs.backtest}`)
      assertCards(shown, {
        Difference: signedDigits(result.points.difference),
        'As issued': groupedDigits(result.points.before),
        'Under the draft': groupedDigits(result.points.after),
        Orders: groupedDigits(result.orders),
      })
      assert.equal(shown.cards.get('Difference')!.note, `${signedDigits(result.points.per_cent)} %`)
      assert.equal(shown.cards.get('Orders')!.note, `of ${groupedDigits(result.players)} players`)
      const changes = {
        Issued: ({ before }: Json) => groupedDigits(roundedSumOf([before])),
        Draft: ({ after }: Json) => groupedDigits(roundedSumOf([after])),
        Difference: ({ difference }: Json) => signedDigits(roundedSumOf([difference])),
      }
      assertColumns(shown.tables['By month'], result.months, changes)
      assertColumns(shown.tables['By rule'], result.rules, changes)
      for (const part of ['before', 'after', 'difference'])
        assert.equal(roundedSumOf(result.months.map((month: Json) => month[part])), result.points[part], part)
      const { outstanding, pending, expired, owed, not_covered: spent } = result.balances
      assertColumns(shown.tables.Balances, [outstanding, pending, expired, owed, spent], changes)
      const { before, after } = result.levels
      const names: string[] = [...new Set([...before, ...after].map(({ name }: Json) => name))]
      const inLevel = (all: Json, level: string) => all.find(({ name }: Json) => name === level)?.players ?? 0
      assertColumns(shown.tables['Players by level'], names, {
        Issued: (level) => groupedDigits(inLevel(before, level)),
        Draft: (level) => groupedDigits(inLevel(after, level)),
        Difference: (level) => signedDigits(inLevel(after, level) - inLevel(before, level)),
      })
      assertColumns(shown.tables['Players who would gain'], result.winners, {
        Orders: ({ orders_changed }: Json) => groupedDigits(orders_changed),
        Points: ({ difference }: Json) => signedDigits(difference),
      })
      assert.deepEqual(result.losers, [])
      const rounded = [...result.rules, ...result.months].flatMap((one: Json) => [
        one.before,
        one.after,
        one.difference,
      ])
      return [
        ...rounded.map((one) => roundedSumOf([one]).replace('-', '')),
        ...names.flatMap((level) => [
          inLevel(before, level),
          inLevel(after, level),
          Math.abs(inLevel(after, level) - inLevel(before, level)),
        ]),
      ]
    }),
    onTab(`probe&probe=${jobs.probe}`, /^As of/, (shown, reply) => {
      const { findings } = reply(`/api/admin/jobs/${jobs.probe}`).result
      assert(findings.length > 0)
      for (const { title, histories } of findings)
        for (const { name, orders } of histories)
          assertColumns(shown.tables[`${title} ${name}`], orders, {
            Total: ({ total_amount }: Json) => String(total_amount),
            Points: (order: Json) => String(order.points),
            Balance: ({ balance }: Json) => String(balance),
          })
      return []
    }),
    onTab('publish', 'A published version never changes', (shown) => {
      assert.match(shown.text, /1 of its cases failed/)
      return []
    }),
  ]
}

const [USER] = IDS
/** An order that redeems points, and one beside what it would earn under another version, which knows no balances. */
const TRIES: readonly Visit[] = [
  ofTry(
    '',
    (page) => page.getByLabel('Points to redeem').fill('1200'),
    '1,200 points, which pay',
    (shown, reply) => {
      const { level, balance } = reply('/api/admin/simulations').holds.explanation
      const { before, after, redeems, redeemable, next_expiry: expiry } = balance
      const toGo = `${groupedDigits(level.next.missing)} to go`
      assert.match(shown.text, new RegExp(`${groupedDigits(level.counted)} points count for .*, ${toGo}`))
      const then = (of: (one: Json) => number) => `${groupedDigits(of(before))} then ${groupedDigits(of(after))}`
      const paying = (number: number, pays: string) =>
        `${groupedDigits(number)} points, which pay ${groupedDigits(pays)}`
      const facts = {
        Available: then((one) => one.available - one.held),
        Pending: then((one) => one.pending),
        Redeems: paying(redeems.points, redeems.pays),
        'Maximum redemption': paying(redeemable.most, redeemable.pays),
        'Next expiry': `${groupedDigits(expiry.points)} points on ${dayWords(expiry.on)}`,
      }
      assert.deepEqual(Object.fromEntries(Object.keys(facts).map((name) => [name, shown.facts[name]])), facts)
      assertColumns(shown.tables['Points taken'], redeems.from, {
        'Points taken': (one: Json) => groupedDigits(one.points),
        'Would have expired on': ({ expires_on }: Json) => dayWords(expires_on),
      })
      return [before, after].map((one) => one.available - one.held)
    },
  ),
  ofTry(
    '&under=1',
    async () => undefined,
    /^Under /,
    (shown, reply) => {
      const { holds, compared } = reply('/api/admin/simulations')
      const more = compared.total_points - holds.total_points
      assert(shown.text.includes(`${compared.message} ${signedDigits(more)} points`), shown.text)
      return [Math.abs(more)]
    },
  ),
]

function ofTry(
  more: string,
  fill: (page: Page) => Promise<unknown>,
  seen: string | RegExp,
  check: Visit['check'],
): Visit {
  return {
    route: '/try',
    path: `/try?user_id=${encodeURIComponent(USER)}${more}`,
    heading: 'Simulator',
    seen: 'Form',
    act: async (page) => {
      await page.getByLabel('Total').fill('1234567')
      await fill(page)
      await page.getByText(seen).first().waitFor()
    },
    check: (shown, reply) => {
      const { holds, compared } = reply('/api/admin/simulations')
      assert(shown.text.includes(holds.message))
      const explained = [holds, ...(compared === null ? [] : [compared])].map(({ explanation }) => stepsOf(explanation))
      assert.deepEqual(shown.waterfalls, explained)
      const { before, after } = holds.explanation.balance
      return [
        // Of the example of a moment.
        ...[31, 12],
        ...[before, after].map((one) => one.available - one.held),
        ...explained.flat().map(([, text]) => text.replace(/[+−]/, '')),
        ...check(shown, reply),
      ]
    },
  }
}

function ofService({ jobs }: Awaited<ReturnType<typeof largeService>>): Visit[] {
  const access = (tab: string, seen: string | RegExp, table: string, noun: string, rows = noun): Visit => ({
    route: '/access',
    path: `/access${tab}`,
    heading: 'Access',
    seen,
    check: (shown, reply) => {
      assert.equal(shown.tables[table]!.length, reply(`/api/admin/${noun}`)[rows].length)
      return noun === 'sessions' ? [30, 12] : []
    },
  })
  /** The result of a job in the list. */
  const job = (of: string, check: Visit['check']): Visit => ({
    route: '/system',
    path: '/system?tab=jobs',
    heading: 'System',
    seen: /^Verify the ledger$/,
    act: async (page) => {
      await page
        .getByRole('row')
        .filter({ has: page.getByText(of, { exact: true }) })
        .getByRole('button', { name: 'Result' })
        .click()
      await page.getByText('later records are not included').waitFor()
    },
    check: (shown, reply) => {
      const all = reply('/api/admin/jobs').jobs
      const taken = ({ began_at, ended_at }: Json) => (Date.parse(ended_at) - Date.parse(began_at)) / 1_000
      assertColumns(shown.tables.Jobs, all, {
        Progress: ({ progress }: Json) => progress.map((one: Json) => progressText(one)).join(''),
        Duration: (one) => `${taken(one).toFixed(1)} s`,
        'Request delay': ({ pause_ms }: Json) => (pause_ms === null ? '–' : `${groupedDigits(pause_ms)} ms`),
      })
      return [...all.map((one: Json) => taken(one).toFixed(1)), ...check(shown, reply)]
    },
  })
  return [
    access('', 'walker: admin', 'Tokens', 'tokens'),
    access('?tab=sessions', 'this browser', 'Sessions', 'sessions'),
    access('?tab=acts', 'browser Chrome', 'Audit log', 'audit-log', 'entries'),
    {
      route: '/system',
      path: '/system',
      heading: 'System',
      seen: 'POST /api/integration/orders',
      check: (shown, reply) => {
        const { routes, times, bounds_ms: bounds, process } = reply('/api/admin/service')
        const { bytes, max_bytes: most } = process.database_heap ?? process.heap
        const all = sumN(routes)
        const sumOf = (field: string) => routes.reduce((sum: number, route: Json) => sum + route[field], 0)
        assertCards(shown, {
          Requests: groupedDigits(all),
          Failed: groupedDigits(sumOf('failed')),
          Refused: groupedDigits(sumOf('refused')),
          Memory: `${Math.round(bytes / 2 ** 20)} MiB`,
          Retries: groupedDigits(process.retries),
        })
        const within = (ms: number | null) => (ms === null ? `> ${msText(bounds.at(-1))}` : `≤ ${msText(ms)}`)
        const dashed = (number: number) => (number === 0 ? '–' : groupedDigits(number))
        const columns = {
          Requests: ({ n }: Json) => groupedDigits(n),
          p50: ({ p50_ms }: Json) => within(p50_ms),
          p95: ({ p95_ms }: Json) => within(p95_ms),
          p99: ({ p99_ms }: Json) => within(p99_ms),
          '4xx': ({ invalid }: Json) => dashed(invalid),
          '429, 503': ({ refused }: Json) => dashed(refused),
          Failed: ({ failed }: Json) => dashed(failed),
        }
        assertColumns(
          shown.tables.Routes,
          routes.toSorted((one: Json, other: Json) => other.n - one.n),
          columns,
        )
        assertColumns(shown.tables.Times, times, columns)
        assert.equal(sumN(times), all)
        return [
          ...[4, 429, 503, 50, 95, 99, 100, 10, 13, ...bounds.map((ms: number) => ms / 1_000)],
          ...[all, sumOf('failed'), sumOf('refused'), shareOf(sumOf('failed'), all), shareOf(sumOf('refused'), all)],
          ...[Math.round(bytes / 2 ** 20), (most / 2 ** 30).toFixed(1).replace('.0', ''), shareOf(bytes, most)],
        ]
      },
    },
    job('Verify the ledger', (shown, reply) => {
      const { players, orders, entries, differing } = reply(`/api/admin/jobs/${jobs.verify}`).result
      assert.equal(differing, 0)
      const said = `${groupedDigits(players)} players, ${groupedDigits(orders)} orders and ${groupedDigits(entries)} entries: nothing differs`
      assert(shown.text.replaceAll(' ,', ',').includes(said), shown.text)
      return []
    }),
    job('Report on outstanding points', (shown, reply) => {
      const { result } = reply(`/api/admin/jobs/${jobs.report}`)
      assert.deepEqual(JSON.parse(shown.pres[0]!), result)
      return []
    }),
    {
      route: '/system',
      path: '/system?tab=settings',
      heading: 'System',
      seen: 'players.required',
      check: (shown, reply) => {
        assertColumns(shown.tables.Settings, reply('/api/admin/settings').settings, {
          Value: ({ value }: Json) => (value === null || value.length === 0 ? 'not set' : [value].flat().join(', ')),
        })
        return []
      },
    },
    {
      route: '/api',
      path: '/api',
      heading: 'API',
      seen: 'operations, version',
      check: (shown, reply) => {
        const { paths, info } = reply('/openapi.json')
        const operations = Object.values(paths).flatMap((one: Json) =>
          Object.values(one).filter((each: Json) => each.operationId),
        )
        assert(shown.text.includes(`: ${operations.length} operations, version ${info.version}`), shown.text)
        return [operations.length]
      },
    },
    {
      route: '/api/:id',
      path: '/api/simulateOrder',
      heading: /./ as unknown as string,
      seen: 'Other responses',
      check: (shown, reply) => {
        const { post } = reply('/openapi.json').paths['/api/admin/simulations']
        assert.equal(post.operationId, 'simulateOrder')
        assert(shown.text.includes(post.summary))
        return []
      },
    },
  ]
}

function msText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`
}

function progressText({ of, done, total }: Json): string {
  return `${groupedDigits(done)}${total === null ? '' : ` of ${groupedDigits(total)}`} ${of}`
}

/** What a prediction that differed led to; a level only if it is another. */
function recordedText({ recorded_points, recorded_level, level }: Json): string {
  if (recorded_points === null) return ''
  return `${groupedDigits(recorded_points)}${recorded_level === level ? '' : `, ${recorded_level}`}`
}

/** The pages that the router has. */
function routesOfRouter(): string[] {
  const found = readFileSync(ROUTER, 'utf8').matchAll(/<Route path="([^"]+)"|^ {2}'(\/[^']+)': page\(/gm)
  return [...found].map(([, one, other]) => (one ?? other)!)
}

test('every figure on every page and tab follows from the answers of the API, with nine digits, and ids that are addresses and numbers', async (t) => {
  const service = await largeService(t)
  const { page, open } = await startBrowserTest(t, { timeZone: 'America/New_York' }, service.app)
  const responses = collectResponses(page)
  const all = [
    ...[OVERVIEW, PREDICTIONS, FEEDS, ...LISTS, ...TRIES],
    ...['o-1', 'o-5', 'f-1'].map(ofOrder),
    ...IDS.flatMap(ofPlayer),
    ...ofProgram(service),
    ...ofService(service),
  ]
  const { early = [], late = [] } = Object.groupBy(all, ({ path }) => (OF_JOBS.test(path) ? 'late' : 'early'))
  const tabs = new Map<string, Set<string>>()
  const faults: string[] = []
  for (const visit of [...early, ...late]) {
    const { route, path, heading, seen, act, check } = visit
    if (late.includes(visit)) await service.jobsEnd()
    responses.clear()
    try {
      await open(path, heading)
      await page.getByText(seen).first().waitFor()
      await act?.(page)
      await page.waitForLoadState('networkidle')
      assert.equal(await page.locator('main .skeleton').count(), 0, 'it is still loading')
      const shown = await readShownPage(page)
      const unseen = tabs.get(route) ?? new Set(shown.tabs.map(({ tab }) => tab))
      unseen.delete(new URL(path, 'http://console').searchParams.get('tab') ?? '')
      tabs.set(route, unseen)
      assert.deepEqual(await figuresBrokenAt(page, NARROW), [], 'figures that break inside')
      assertFiguresKnown(
        shown,
        responses,
        check(shown, (address) => responseFor(responses, address)),
      )
    } catch (error) {
      // One that is wrong must not hide the others.
      faults.push(`${path}: ${(error as Error).message}`)
    }
  }
  const routes = routesOfRouter().filter((route) => !tabs.has(route))
  const unseen = [...tabs].flatMap(([route, left]) => [...left].map((tab) => `${route}?tab=${tab}`))
  assert.deepEqual([...faults, ...[...routes, ...unseen].map((one) => `${one}: no figure of it is compared`)], [])
})

test('what an upload and an adjustment say before and after they are written are the figures of the API', async (t) => {
  const app = await emptyService(t)
  await app.upsertProducts([aProduct()])
  await app.upsertPlayers([aPlayer()])
  const gift = { id: 'gift', points: 123_456_789, counts: false, reason: 'a gift' }
  await app.ask('POST', '/api/players/u-1/adjustments', { body: { data: gift } })
  const { page, open } = await startBrowserTest(t, {}, app)
  const responses = collectResponses(page)
  const dialog = page.getByRole('dialog')

  await open('/products', 'Products')
  await page.getByRole('button', { name: 'Upload products' }).click()
  const rows = Array.from({ length: 1_234 }, (_, index) => `sku-${index},${index}`)
  const text = ['product_sku_id,amount', 'tea,9.5', 'cup,dear', 'pot,1,2', ...rows, ''].join('\n')
  await page.getByLabel('File').setInputFiles({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  for (const [isDry, words] of [
    [true, 'Dry run, nothing is imported yet'],
    [false, 'Imported'],
  ] as const) {
    await dialog.getByText(`${words}: `).waitFor()
    const asked = `/api/integration/products?details=true&dry_run=${isDry}`
    await eventually('the upload is answered', () => responses.has(asked))
    const { inserted, updated, skipped } = responseFor(responses, asked)
    assert.deepEqual([inserted, updated, skipped], [1_234, 1, 1])
    // The row with a cell too many is not sent.
    const [more, known, left] = [inserted, updated, skipped + 1].map(groupedDigits)
    assert.equal(
      await dialog.getByRole('status').textContent(),
      `${words}: ${more} new, ${known} known, ${left} skipped.`,
    )
    const write = dialog.getByRole('button', { name: `Import ${groupedDigits(inserted + updated)} records` })
    assert.equal(await write.isEnabled(), isDry)
    const { tables } = await readShownPage(page, '[role=dialog]')
    assert.deepEqual(column(tables.Skipped, 'Line'), ['4', '3'])
    if (isDry) await write.click()
  }

  await open('/players/u-1', 'u-1')
  await page.getByRole('button', { name: 'Adjust points' }).click()
  await dialog.getByRole('spinbutton').fill('-1234567')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('spent')
  await page.keyboard.press('Enter')
  const review = await dialog.getByText(/will have/).textContent()
  const { points: before } = responseFor(responses, '/api/players/u-1?')
  const [had, has, change] = [groupedDigits(before), groupedDigits(before - 1_234_567), signedDigits(-1_234_567)]
  assert.match(review!, new RegExp(`^u-1 has ${had} points and will have ${has} \\(${change}, “spent”\\)`))
  responses.clear()
  await dialog.getByRole('button', { name: `Post ${change}` }).click()
  await page.getByRole('cell', { name: 'spent adjustment' }).waitFor()
  const isPlayer = (path: string) => path.startsWith('/api/players/u-1?')
  await eventually('the player is read again', () => [...responses.keys()].some(isPlayer))
  assert.equal(responseFor(responses, '/api/players/u-1?').points, before - 1_234_567)
  assert.equal((await readShownPage(page)).cards.get('Balance')!.value, `${has} points`)
})

/** The changes in percent against the span before. */
function changesOf(figures: readonly Json[]): string[] {
  return figures.flatMap(({ n, n_before, points, points_before }) =>
    [
      [n, n_before],
      [points, points_before],
    ]
      .filter(([now, before]) => now !== null && before !== null && Number(before) !== 0)
      .map(([now, before]) => Math.abs((Number(now) - Number(before)) / Math.abs(Number(before))) * 100)
      .map((change) => (change < 10 ? change.toFixed(1) : change.toFixed(0))),
  )
}

/** What is issued on each day, over all keys. */
function issuedByDay(lines: readonly Json[]): string[] {
  const days = Map.groupBy(
    lines.filter(({ measure }) => measure === 'issued'),
    ({ day }) => day,
  )
  return [...days.values()].map((ofDay) => roundedSumOf(ofDay.map((line) => line.points)))
}

test('each figure of accounts and prediction accuracy says when it is true and how it was found, as the API does (decision 207)', async (t) => {
  const { app } = await largeService(t)
  const { page, open, check } = await startBrowserTest(t, {}, app)
  const answering = (path: string, change: (reply: Json) => void) =>
    page.route(path, async (route) => {
      const response = await route.fetch()
      const reply = await response.json()
      change(reply)
      await route.fulfill({ response, json: reply })
    })
  const before = (moment: string, minutes: number) => new Date(Date.parse(moment) - minutes * 60_000).toISOString()
  await answering('**/statistics/summary*', ({ as_of, figures }) => {
    for (const one of figures) {
      if (one.figure === 'outstanding') Object.assign(one, { as_of: before(as_of, 7), quality: 'swept' })
      if (one.figure === 'came-true') Object.assign(one, { quality: 'sampled' })
    }
  })
  await answering('**/statistics/levels*', (reply) => {
    const found = { as_of: before(reply.as_of, 31), quality: 'sampled' }
    reply.levels = [{ level: 'Bronze', n: 2, low: 1, high: 2, ...found }]
  })
  await open('/', 'Overview')
  const figure = (name: string) =>
    page.locator('.figure').filter({ has: page.getByRole('button', { name, exact: true }) })
  await figure('Owed').locator('.delta').getByText('as of 7 minutes ago, last count').waitFor()
  await figure('Prediction accuracy').locator('.delta').getByText('(from a sample)').waitFor()
  for (const [name, known] of [
    ['Points issued', 'This figure is as of now.'],
    ['Orders', 'This figure is as of now.'],
    ['Owed', 'This figure is as of 7 minutes ago, last count.'],
    ['Prediction accuracy', 'This figure is as of now, from a sample.'],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click()
    await page.locator(':popover-open').getByText(known).waitFor()
    await page.keyboard.press('Escape')
  }
  await page.getByText('Players are as of 31 minutes ago, from a sample.').waitFor()
  await check()
})

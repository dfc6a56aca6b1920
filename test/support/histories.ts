/*
 * Generated histories of a shop: players, prices and programs that change while orders are placed, changed, cancelled, sent again and sent
 * late, by one client or by several at once.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anOrder, aPlayer, aProduct } from './builders.ts'
import { checkLedger } from './ledger-check.ts'
import type { TestApp } from './test-app.ts'

const STEPS_MAX = 40
const DAY_MS = 86_400_000
/** Each history has its own years and its own players, so that all can share one database without affecting each other. */
const HISTORY_YEARS = 2
const FIRST_YEAR = 2027

export const PLAYERS = ['ann', 'ben', 'cleo', 'dan'] as const
const SKUS = ['tea', 'cup', 'pot', 'rum'] as const

// Generated programs. Thresholds are within reach of a few orders, so that conditions and levels change.

const points = fc.constantFrom<number | string>(1, 2, 7, '0.5', '0.3333')
const ofOrder = fc.constantFrom('net', 'total', 'lines', 'catalogue')
const ofLines = fc.constantFrom('lines', 'catalogue')
const perAmount = (of: fc.Arbitrary<string>) =>
  fc.record({ points, every: fc.constantFrom(1, 3, 10, '2.5'), of, 'whole-steps': fc.boolean() })
const onOrder = fc.constantFrom(
  undefined,
  'order.net >= 50',
  'order.qty > 2.5 && !order.subscript_points',
  'order.subscript_points',
  'order.referral_code != ""',
  'order.lines.exists(l, l.sku == "tea")',
  'order.at < timestamp("2040-07-01T00:00:00Z")',
  'order.discount / order.total > 0.2',
  'player.level in ["Silver", "Gold"]',
  'player.points > 40',
  'player.earned < 100',
  'player.orders < 2',
  '10 / player.orders > 4',
  'player.state == "Goa"',
  'player.age % 2 == 0',
)
const onLine = fc.constantFrom(
  'line.sku == "tea"',
  'line.price > 3.0',
  '!line.known',
  'line.amount >= 20 && line.qty < 3',
)
const during = fc.constantFrom(
  { days: ['mon', 'tue', 'fri'] },
  { hours: '22:00-06:00' },
  { from: '2030-01-01', until: '2060-12-31' },
)
const rule = fc.oneof(
  { weight: 3, arbitrary: fc.record({ when: onOrder, 'per-amount': perAmount(ofOrder) }) },
  fc.record({ when: onLine, 'per-amount': perAmount(ofLines) }),
  fc.record({ when: fc.oneof(onOrder, onLine), 'per-unit': fc.record({ points }) }),
  fc.record({ when: fc.oneof(onOrder, onLine), fixed: fc.record({ points }) }),
  fc.record({ during, fixed: fc.record({ points }) }),
  fc.record({ when: onOrder, multiply: fc.record({ by: fc.constantFrom('0', '0.5', '1.5', '3') }) }),
  fc.record({ when: onOrder, 'at-most': fc.record({ points: fc.constantFrom(0, 30, '99.5') }) }),
)
export const program = fc.record({
  zone: fc.constantFrom(undefined, 'Pacific/Pago_Pago', 'Europe/London', 'Asia/Kolkata', 'Pacific/Kiritimati'),
  rounding: fc.constantFrom('floor', 'half-up', 'ceil'),
  counts: fc.constantFrom('lifetime', { window: 'P1M' }, { window: 'P6M' }),
  rules: fc.array(rule, { minLength: 1, maxLength: 5 }),
  referral: fc.option(
    fc.record({
      friend: fc.constantFrom<number>(0, 5),
      referrer: fc.constantFrom<number>(0, 11),
      counts: fc.boolean(),
    }),
    { nil: undefined },
  ),
})

export type Program = typeof program extends fc.Arbitrary<infer T> ? T : never

export const sourceOf = ({ zone, rounding, counts, rules, referral }: Program) =>
  JSON.stringify({
    name: 'Generated',
    'time-zone': zone,
    rounding,
    levels: {
      counts,
      ladder: [
        { name: 'Bronze', from: 0 },
        { name: 'Silver', from: 30 },
        { name: 'Gold', from: 120 },
      ],
    },
    earn: rules.map((each, index) => ({ name: `rule ${index}`, ...each })),
    referral,
  })

// Generated events.

const amount = fc.oneof({ weight: 4, arbitrary: fc.nat(120) }, fc.constantFrom(0, 1_000, 9_007_199_254_740_991))
const line = fc.record(
  {
    product_sku_id: fc.constantFrom(...SKUS, 'unheard-of', '__proto__'),
    amount: fc.constantFrom('0', '4.50', '19.9999', 30),
    qty: fc.constantFrom('1', 2, '2.5', 7),
  },
  { requiredKeys: [] },
)
/** No code, those of two players, one that several may share, and an unknown one. */
const code = fc.constantFrom('', 'ann', 'ann', 'ben', 'shared', 'unheard-of')
/** A state of an order, without its ids and moment. */
export const state = fc.record(
  {
    total_amount: amount,
    discount: fc.constantFrom(0, 0, 5, 60),
    products: fc.array(line, { maxLength: 3 }),
    refferral_code: code,
    status: fc.constantFrom('placed', 'placed', 'placed', 'cancelled', 'returned'),
    subscript_points: fc.boolean(),
    total_qty: fc.constantFrom(1, 4),
  },
  { requiredKeys: ['total_amount', 'discount', 'products', 'refferral_code'] },
)
export const sent = fc.record({
  /** `common` is the id that several players claim; `nobody` was never sent. */
  player: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...PLAYERS) }, fc.constant('nobody')),
  order: fc.oneof({ weight: 9, arbitrary: fc.constantFrom<string>('1', '2') }, fc.constant('common')),
  state,
  /** Undefined: the order names no moment. */
  daysAgo: fc.option(fc.constantFrom(0, 1, 20, 31, 200), { nil: undefined }),
})
const player = fc.record({
  name: fc.constantFrom(...PLAYERS),
  state: fc.constantFrom('Goa', 'Kerala'),
  code: fc.constantFrom('own', 'own', 'shared', ''),
  participates: fc.constantFrom(undefined, undefined, true, false),
})
/** Changes that a shop makes to an order it has sent before. */
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ status: fc.constantFrom('placed', 'cancelled', 'returned') }) },
  fc.record({ total_amount: amount.map(String) }),
  fc.record({ products: fc.array(line, { maxLength: 3 }) }),
  fc.record({ code }),
  fc.record({ daysAgo: fc.constantFrom(0, 20, 200) }),
)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('order' as const), sent }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('change' as const), which: fc.nat(5), change }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('batch' as const), sent: fc.array(sent, { minLength: 2, maxLength: 8 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clients' as const),
      batches: fc.array(fc.array(sent, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), mask: fc.nat(0xffff) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('price' as const), sku: fc.constantFrom(...SKUS), price: fc.nat(20) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('player' as const), player }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('program' as const), program }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('days' as const), days: fc.constantFrom(1, 10, 40) }) },
)
export const history = fc.record({
  program,
  steps: fc.array(step, { minLength: 5, maxLength: STEPS_MAX, size: 'max' }),
})

export type Sent = typeof sent extends fc.Arbitrary<infer T> ? T : never
type SentPlayer = typeof player extends fc.Arbitrary<infer T> ? T : never
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Wire = Readonly<{ order_id: string; user_id: string; status?: string }>

/** The state of a running history: the clock of the service, and the last recorded state of each order. */
export type World = Readonly<{ app: TestApp; prefix: string; begins: number; clock: Clock; last: Map<string, Wire> }>
type Clock = { now: Date }

export function wireOf(world: World, { player, order, state, daysAgo }: Sent, owner = ''): Wire {
  const id = (name: string) => `${world.prefix}${name}`
  return anOrder({
    ...state,
    total_amount: String(state.total_amount),
    refferral_code: codeOf(world, state.refferral_code),
    user_id: id(player),
    order_id: order === 'common' ? id(order) : id(`${owner}${player}-${order}`),
    ...momentOf(world, daysAgo),
  }) as Wire
}

const codeOf = ({ prefix }: World, code: string) => (code === '' ? '' : prefix + code)

const momentOf = ({ begins, clock }: World, daysAgo: number | undefined) =>
  daysAgo === undefined
    ? {}
    : { ordered_at: new Date(Math.max(begins, clock.now.getTime() - daysAgo * DAY_MS)).toISOString() }

export const playerOf = (prefix: string, name: string, state = 'Kerala', code = 'own') =>
  aPlayer({
    User_id: prefix + name,
    State: state,
    Refercode: code === '' ? '' : prefix + (code === 'own' ? name : code),
  })

export async function take(world: World, one: Step): Promise<void> {
  const { app, clock } = world
  switch (one.kind) {
    case 'order':
      return takeOne(world, wireOf(world, one.sent))
    case 'change': {
      const order = [...world.last.values()].at(-1 - one.which)
      if (order === undefined) return
      const { code, daysAgo, ...parts } = { code: undefined, daysAgo: undefined, ...one.change }
      const named = code === undefined ? {} : { refferral_code: codeOf(world, code) }
      return takeOne(world, { ...order, ...parts, ...named, ...momentOf(world, daysAgo) })
    }
    case 'batch':
      return takeBatch(
        world,
        one.sent.map((each) => wireOf(world, each)),
      )
    case 'clients':
      return takeAtOnce(
        world,
        one.batches.map((batch, client) => batch.map((each) => wireOf(world, each, `client ${client} `))),
      )
    case 'again': {
      const orders = [...world.last.values()].filter((_, index) => (one.mask >> (index % 16)) & 1)
      return sendAgain(world, orders)
    }
    case 'price':
      await good(app.upsertProducts([aProduct({ product_sku_id: one.sku, amount: one.price })]))
      return
    case 'player':
      return takePlayer(world, one.player)
    case 'program':
      await publish(app, sourceOf(one.program))
      return
    case 'days':
      clock.now = new Date(clock.now.getTime() + one.days * DAY_MS)
      return
    default:
      one satisfies never
  }
}

/** A record that does not say whether the player participates keeps what the last one said. */
async function takePlayer({ app, prefix }: World, { name, state, code, participates }: SentPlayer): Promise<void> {
  const read = async () => (await app.ask('GET', `/api/admin/players/${prefix}${name}`)).body.participates
  const before = await read()
  await good(app.upsertPlayers([{ ...playerOf(prefix, name, state, code), participates }]))
  assert.equal(await read(), participates ?? before)
}

/** One client and one order: the prediction must be what is recorded. */
async function takeOne(world: World, order: Wire): Promise<void> {
  const { app } = world
  const predicted = await app.predict(order, '?explain=true')
  const [verdict] = verdictsOf(await good(app.record([order], '?details=true')), 1)
  if (predicted.status === 400) {
    assert.equal(verdict, 'invalid', predicted.text)
    return
  }
  assert.equal(predicted.status, 200, predicted.text)
  if (order.user_id.endsWith('nobody')) {
    assert.equal(verdict, 'invalid')
    return
  }
  assert.notEqual(verdict, 'invalid', predicted.text)
  world.last.set(order.order_id, order)
  const { total_points, explanation } = predicted.body
  const { points, status, entry, summed } = await recordOf(app, order.order_id)
  assert.deepEqual([points, summed, status], [total_points, total_points, order.status ?? 'placed'])
  if (status !== 'placed') assert.equal(points, 0)
  // A state that changes no points has no entry. An earlier entry was explained by the facts of its time.
  if (entry !== null && verdict === 'written') assert.deepEqual(entry, explanation)
  // Predicting an order that is already recorded gives its record.
  const after = await app.predict(order, '?explain=true')
  assert.deepEqual([after.body.total_points, after.body.explanation], [total_points, explanation])
}

/** The record of an order: `entry` explains its last revision; it is null if that changed no points. */
async function recordOf(app: TestApp, orderId: string) {
  const [record] = await app.query(`
    select points::float8 as points, state ->> 'status' as status,
      (select sum(points)::float8 from entries e where e.user_id = o.user_id and e.order_id = o.order_id and e.kind = 'order') as summed,
      (select explanation::jsonb from entries e
        where e.user_id = o.user_id and e.order_id = o.order_id and e.kind = 'order' and e.revision = o.rev order by seq desc limit 1) as entry
    from orders o where order_id = '${orderId}'`)
  return record as { points: number; status: string; summed: number; entry: object | null }
}

async function takeBatch(world: World, orders: readonly Wire[]): Promise<void> {
  const dry = await good(world.app.record(orders, '?details=true&dry_run=true'))
  const reply = await good(world.app.record(orders, '?details=true'))
  assert.deepEqual({ ...dry.body, message: '' }, { ...reply.body, message: '' }, 'a dry run previews it')
  note(world, orders, verdictsOf(reply, orders.length))
}

/** Several clients at the same time, for the same players, each with its own orders. */
async function takeAtOnce(world: World, batches: readonly (readonly Wire[])[]): Promise<void> {
  const replies = await Promise.all(batches.map((batch) => good(world.app.record(batch, '?details=true'))))
  for (const [client, batch] of batches.entries()) note(world, batch, verdictsOf(replies[client]!, batch.length))
  // An order id that several players claim at the same time gets one owner; which one is undetermined.
  world.last.delete(`${world.prefix}common`)
}

function note(world: World, orders: readonly Wire[], verdicts: readonly string[]): void {
  for (const [index, order] of orders.entries())
    if (verdicts[index] !== 'invalid') world.last.set(order.order_id, order)
}

/** Sends the last states of some orders again in one batch: all are unchanged, and so is the ledger. */
export async function sendAgain({ app, prefix }: World, orders: readonly Wire[]): Promise<void> {
  const ledger = () =>
    app.query(`
      select 'account' as kind, user_id, points::text, entries::text as seq from accounts where entries > 0 and user_id like '${prefix}%'
      union all select kind, user_id, points::text, seq::text from entries where user_id like '${prefix}%'
      order by 1, 2, 4`)
  const before = await ledger()
  const reply = await good(app.record(orders, '?details=true'))
  const verdicts = verdictsOf(reply, orders.length)
  for (const [index, verdict] of verdicts.entries()) assert.equal(verdict, 'unchanged', JSON.stringify(orders[index]))
  assert.deepEqual(await ledger(), before)
}

type Reply = Awaited<ReturnType<TestApp['record']>>

export async function good(reply: Promise<Reply>): Promise<Reply> {
  const { status, text } = await reply
  assert.equal(status, 200, text)
  return reply
}

export const publish = (app: TestApp, source: string) =>
  good(app.ask('POST', '/api/admin/programs', { body: { data: { source } } }))

/** The verdict of each record; a record without one was written. */
function verdictsOf({ body }: Reply, length: number): string[] {
  const verdicts = Array.from({ length }, () => 'written')
  for (const { position, verdict } of body.results) verdicts[position] = verdict
  return verdicts
}

/** Opens a service with a clock that the test controls, and creates worlds in it. */
export async function openWorlds(open: (options: { now: () => Date }) => Promise<TestApp>) {
  const clock: Clock = { now: new Date(Date.UTC(FIRST_YEAR, 0, 1)) }
  const app = await open({ now: () => clock.now })
  let worlds = 0
  async function newWorld(source: string): Promise<World> {
    worlds += 1
    const begins = Date.UTC(FIRST_YEAR + worlds * HISTORY_YEARS, 0, 1)
    const prefix = `w${worlds}.`
    clock.now = new Date(begins)
    await publish(app, source)
    await good(app.upsertPlayers(PLAYERS.map((name) => playerOf(prefix, name))))
    await good(
      app.upsertProducts(SKUS.slice(0, 3).map((sku, index) => aProduct({ product_sku_id: sku, amount: index + 2 }))),
    )
    return { app, prefix, begins, clock, last: new Map() }
  }
  return {
    newWorld,
    /** Checks what all histories have left; call it once, as it reads everything. A fault names its world by the prefix of its ids. */
    checkLedgers: () => checkLedger(app.service.db),
  }
}

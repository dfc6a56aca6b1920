/*
 * Predictions a second by the engine alone, compared with `json-rules-engine` with ten rules over the same facts: no database, no HTTP. Each is
 * built once and gets one order after the other. Seconds are processor time of this thread, so that a busy machine changes them little.
 */
import assert from 'node:assert/strict'
import { buildConditionContext } from '../src/engine/points/condition-context.ts'
import { levelAt } from '../src/engine/points/levels.ts'
import type { Catalogue, Line, Order, OrderContext, Player } from '../src/engine/points/model.ts'
import { predict } from '../src/engine/points/predict.ts'
import { readProgram } from '../src/engine/points/program.ts'
import type { PublishedProgram } from '../src/engine/points/program-model.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { TARGETS } from './targets.ts'

const DISTINCT_INPUTS = 5_000
const SECONDS = 2

/** The input of one prediction. */
type Input = Readonly<{ order: Order; player: Player; catalogue: Catalogue }>

const LADDER = [
  { name: 'Bronze', from: 0 },
  { name: 'Silver', from: 500 },
  { name: 'Gold', from: 2000 },
  { name: 'Platinum', from: 10_000 },
]

/** Five rules for every order, and five with a condition: two on lines, one on the order, two on the player. */
const OURS = [
  { name: 'base', 'per-amount': { points: 1, every: 10, of: 'net' } },
  { name: 'hundreds', 'per-amount': { points: 2, every: 100, of: 'total', 'whole-steps': true } },
  { name: 'units', 'per-unit': { points: '0.5' } },
  { name: 'listed', 'per-amount': { points: 1, every: 30, of: 'catalogue' } },
  { name: 'tea', when: 'line.sku.startsWith("TEA-")', 'per-unit': { points: 5 } },
  { name: 'dear', when: 'line.amount > 500.0', 'per-amount': { points: 1, every: 50, of: 'lines' } },
  { name: 'basket', when: 'order.net >= 1000.0 && order.qty >= 6.0', fixed: { points: 100 } },
  { name: 'gold', when: 'player.level in ["Gold", "Platinum"]', multiply: { by: '1.5', rules: ['base'] } },
  { name: 'young', when: 'player.age < 30 && player.country == "India"', fixed: { points: 20 } },
  { name: 'ceiling', 'at-most': { points: 400 } },
]

/** The same rules for `json-rules-engine`. A path in a constant is not followed by the type checker: the package is in bench/package.json. */
const THEIRS = './others/rules-engine.ts'
type RulesEngine = Readonly<{
  run(facts: object): Promise<Readonly<{ failureEvents: readonly Readonly<{ type: string }>[] }>>
}>

export async function measureEngine({ runs }: { runs: number }): Promise<Figure[]> {
  const program = aProgram()
  const { tenRules } = (await import(THEIRS)) as { tenRules: () => RulesEngine }
  const theirs = tenRules()
  const inputs = Array.from({ length: DISTINCT_INPUTS }, (_, index) => anInput(index))
  const facts = inputs.map((input) => factsOf(input, program))
  // The two are comparable only if they decide every order alike. This check warms both up, too.
  for (const [index, { order, player, catalogue }] of inputs.entries()) {
    const { failureEvents } = await theirs.run(facts[index]!)
    const { notApplied } = predict(order, player, catalogue, program, contextOf(player))
    const without = notApplied.filter(({ why }) => why.startsWith('condition ')).map(({ rule }) => rule)
    assert.deepEqual(failureEvents.map(({ type }) => type).sort(), without.sort(), `both about order ${index}`)
  }

  const { rules, ours } = await alternate(runs, [
    async () => ({
      rules: await perSecond(async () => {
        for (const one of facts) await theirs.run(one)
      }),
    }),
    async () => ({
      ours: await perSecond(() => {
        for (const { order, player, catalogue } of inputs) predict(order, player, catalogue, program, contextOf(player))
      }),
    }),
  ])
  const note = `one thread, ten rules, five with conditions, three lines an order, ${DISTINCT_INPUTS} orders`
  const beside = `${note}; floor: json-rules-engine, ten conditions over the same facts`
  return [
    figureOf(TARGETS.engine, { database: 'none', ours, note }),
    figureOf(TARGETS.engineBesideRules, { database: 'none', floor: rules, ours, note: beside }),
  ]
}

/** A new order, without a referral. */
function contextOf({ levelPoints }: Player): OrderContext {
  return { levelPoints, referral: { why: 'no-code' } }
}

async function perSecond(allInputs: () => void | Promise<void>): Promise<number> {
  const startedAt = process.threadCpuUsage()
  let predictions = 0
  let seconds = 0
  while (seconds < SECONDS) {
    await allInputs()
    predictions += DISTINCT_INPUTS
    const { user, system } = process.threadCpuUsage(startedAt)
    seconds = (user + system) / 1_000_000
  }
  return predictions / seconds
}

function aProgram(): PublishedProgram {
  const read = readProgram({
    name: 'Ten rules',
    rounding: 'floor',
    levels: { counts: 'lifetime', ladder: LADDER },
    earn: OURS,
  })
  assert('program' in read, 'issues' in read ? JSON.stringify(read.issues) : '')
  return { version: 1, from: '-infinity', program: read.program }
}

/** An order of three lines. Of the lines, 1 in 10 has no amount, 1 in 20 an unknown product, and 1 in 20 a price of its own. */
function anInput(index: number): Input {
  const any = (what: number, below: number) => (Math.imul(index * 32 + what + 1, 0x9e3779b1) >>> 8) % below
  const prices = new Map<string, bigint>()
  const lines = [0, 1, 2].map((line): Line => {
    const sku = `${['TEA', 'CUP', 'POT', 'TIN', 'BAG'][any(line, 5)]}-${any(line + 3, 2_000)}`
    const price = BigInt(50 + any(line + 6, 30_000)) * 100n
    const qty = BigInt(1 + any(line + 9, 4)) * 10_000n
    const kind = (index * 3 + line) % 20
    if (kind !== 0) prices.set(sku, price)
    if (kind === 1 || kind === 2) return { sku, qty }
    return { sku, qty, amount: (price * qty) / 10_000n + (kind === 3 ? 5_000n : 0n) }
  })
  const total = BigInt(100 + any(12, 2_000)) * 10_000n
  return {
    order: {
      id: `order-${index}`,
      userId: `user-${index}`,
      lines,
      total,
      discount: total / BigInt(4 + any(13, 20)),
      referralCode: '',
      subscriptPoints: false,
      status: 'placed',
      at: `2026-${two(1 + any(14, 12))}-${two(1 + any(15, 28))}T10:00:00.000Z`,
    },
    player: {
      known: true,
      points: BigInt(any(16, 5_000)),
      levelPoints: BigInt(any(17, 4_000)),
      region: 'Kerala',
      district: 'Ernakulam',
      country: any(18, 3) === 0 ? 'Nepal' : 'India',
      gender: index % 2 === 0 ? 'female' : 'male',
      dateOfBirth: `${1950 + any(19, 56)}-${two(1 + any(20, 12))}-${two(1 + any(21, 28))}`,
      orders: BigInt(any(22, 40)),
    },
    catalogue: prices,
  }
}

/** The facts that our conditions see, as a flat object, which this engine reads fastest. */
function factsOf({ order, player, catalogue }: Input, { program }: PublishedProgram) {
  const seen = buildConditionContext(
    order,
    player,
    catalogue,
    levelAt(program.levels.ladder, player.levelPoints),
    program,
  )
  return {
    net: Number(seen.order.net),
    total: Number(seen.order.total),
    qty: Number(seen.order.qty),
    skus: seen.order.lines.map(({ sku }) => sku),
    amounts: seen.order.lines.map(({ amount }) => Number(amount)),
    level: seen.player.level,
    country: seen.player.country,
    age: Number(seen.player.age),
  }
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

import { programSource, readValidProgram } from '../../../engine/ingest/program-text.ts'
import { type Field, InvalidValue, optional, required } from '../../../engine/ingest/record.ts'
import { Type } from '../../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../../routing/shared-responses.ts'
import { jobKind } from '../job-kind.ts'

const { listOf, text, texts, timestamp, whole, sum, signedSum } = RESPONSE_PARTS

const amount = (description: string) => Type.Union([Type.Number(), Type.String()], { description })

/** Its order is written by `formatStep` (engine/ingest/cases/write-cases.ts), which states no types. */
const step = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    {
      order_id: text('order ID'),
      player: text('ID of a made-up player'),
      products: listOf(
        Type.Object(
          {
            product_sku_id: Type.Optional(text('product ID')),
            qty: amount('quantity'),
            amount: Type.Optional(amount('amount of the line')),
          },
          { title: 'ProbedLine', description: 'A line of a made-up order' },
        ),
        'lines',
      ),
      total_amount: amount('total amount'),
      discount: amount('discount'),
      refferral_code: text('referral code; empty: none'),
      subscript_points: Type.Boolean({ description: 'subscript_points of the order' }),
      status: text('placed, cancelled or returned'),
      ordered_at: Type.Optional(timestamp('time of the order; absent: that of the order before it')),
      fulfilled_at: Type.Optional(timestamp('time of the delivery')),
      points_redeemed: Type.Optional(whole('points it is paid with')),
      wait: Type.Optional(text('time since the order before it, such as P1D')),
      refused: Type.Optional(text('why it is refused, if it is')),
      points: Type.Optional(sum('points of the order; absent if it is refused')),
      balance: Type.Optional(signedSum("the player's points afterwards")),
      available: Type.Optional(signedSum('points that can be spent; absent: all, and none is held')),
      pending: Type.Optional(signedSum('points that cannot be spent yet')),
      held: Type.Optional(signedSum('points held')),
      explanation: Type.Optional(SHARED_RESPONSES.explanation),
    },
    { title: 'ProbedOrder', description: 'A made-up order, and what it comes to' },
  ),
)

const result = Type.Object(
  {
    seed: whole('random seed: with it the result is the same'),
    findings: listOf(
      Type.Object(
        {
          kind: text('kind of loophole'),
          promise: text('what does not hold'),
          title: text('what was found'),
          because: texts('why'),
          histories: listOf(
            Type.Object(
              { name: text('name of the history'), orders: listOf(step, 'oldest first') },
              { title: 'ProbedHistory', description: 'Made-up orders, one after the other' },
            ),
            'histories that are compared',
          ),
          cases: text('test orders that show it, as a file'),
        },
        { title: 'ProbeFinding', description: 'Orders that exploit a program' },
      ),
      'at most one of each kind',
    ),
    worth_knowing: texts('remarks that are no findings'),
  },
  { title: 'ProbeResult', description: 'Orders that exploit a program' },
)

const SEED_MAX = 2 ** 31 - 1

const seedField: Field<number> = {
  schema: Type.Integer({ minimum: 0, maximum: SEED_MAX }),
  read: (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= SEED_MAX) return value
    throw new InvalidValue(`an integer between 0 and ${SEED_MAX}`, value)
  },
}

/** Searches for orders that earn what no shop means to give. */
export const probeJob = jobKind({
  scope: 'program',
  worksOn: 'nothing',
  result,
  fields: { source: required('source', programSource), seed: optional('seed', seedField, undefined) },
  words: {
    title: 'ProbeJob',
    description: 'Searches for orders that exploit a program',
    fields: {
      source: 'program text, YAML or JSON',
      seed: 'random seed, for reproducible runs; default: random, returned in the result',
    },
  },
  check: ({ source }) => {
    readValidProgram(source, 'data.source')
  },
  run: async ({ source, seed = Math.floor(Math.random() * SEED_MAX) }, { report }) => {
    const [{ casesOf, findCounterexample, PROBE_KINDS }, { remarksOn }, { probeDocumentOf }, { writeCasesText }] =
      await Promise.all([
        import('../../../engine/whatif/probe/index.ts'),
        import('../../../engine/whatif/probe/remarks.ts'),
        import('../../program-checks/probe-document.ts'),
        import('../../../engine/ingest/cases/write-cases.ts'),
      ])
    const program = readValidProgram(source, 'data.source')
    const replayed = PROBE_KINDS.flatMap((kind, done) => {
      report([{ of: 'kinds', done, total: PROBE_KINDS.length }])
      const finding = findCounterexample(kind, program, seed)
      return finding === undefined ? [] : [{ finding, replay: '' }]
    })
    const { findings, worth_knowing } = probeDocumentOf('', seed, replayed, remarksOn(program))
    return {
      seed,
      findings: findings.map(({ replay: _, ...finding }, place) => {
        const { finding: whole } = replayed[place]!
        return { ...finding, cases: writeCasesText({ ...whole.world, cases: casesOf(whole) }, [whole.title]) }
      }),
      worth_knowing,
    }
  },
})

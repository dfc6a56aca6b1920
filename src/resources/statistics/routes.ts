import type { Static } from 'typebox'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { ratioText } from '../../engine/points/arithmetic.ts'
import { type AccountTotals, findTotals } from '../../ledger/account-figures.ts'
import { PREDICTION_MEASURES, type StatisticsMeasure } from '../../ledger/tallies.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { viewOf } from '../../routing/masking.ts'
import { cachedResponses } from '../../routing/response-cache.ts'
import type { Description, Route } from '../../routing/route.ts'
import { STATISTICS_RESPONSES } from './responses.ts'
import { type QualifiedEstimate, type QualifiedLine, showAccounts, showStatistics } from './service.ts'
import { type StatisticsSummary, summariseStatistics } from './summarise-statistics.ts'

const SPAN = ['from', 'to', 'basis'] as const
const SPAN_BY = [...SPAN, 'per'] as const

const EXAMPLE_RANGE = {
  as_of: '2026-06-01T12:00:00.000Z',
  basis: 'ordered',
  from: '2026-05-03',
  to: '2026-06-01',
} as const

const NOW_EXACTLY = { as_of: EXAMPLE_RANGE.as_of, quality: 'exact' } as const
const ONE_PLAYER = { n: 1, low: 1, high: 1, ...NOW_EXACTLY } as const
const NOBODY_ON_BRONZE = {
  level: 'Bronze',
  n: 0,
  low: 0,
  high: 0,
  as_of: EXAMPLE_RANGE.as_of,
  quality: 'swept',
} as const

const SUMMARY = {
  operationId: 'showStatisticsSummary',
  tag: 'statistics',
  summary: 'Get the figures of a period and the previous one',
  description: 'Balances and debts are as of the end of the period; the others are sums over it.',
  example: {
    response: {
      ...EXAMPLE_RANGE,
      before: null,
      backfill: null,
      figures: [
        {
          figure: 'issued',
          ...NOW_EXACTLY,
          n: 2,
          points: '790',
          n_before: null,
          points_before: null,
        },
      ],
      worth: {
        each: '0.01',
        by: 'program',
        version: 1,
        outstanding: '6.9',
        currency: 'EUR',
        ...NOW_EXACTLY,
      },
    },
  },
} as const satisfies Description

const LISTS = {
  points: {
    measures: ['issued', 'taken-back', 'spent'],
    operationId: 'showPointStatistics',
    summary: 'Get points issued, reversed and spent',
    description: '`key` is the kind of the entries: order, referral or adjustment.',
    example: { measure: 'issued', program: null, key: 'adjustment', n: 1, points: '250' },
  },
  rules: {
    measures: ['rule', 'rounding', 'referral', 'later'],
    operationId: 'showRuleStatistics',
    summary: 'Get points by rule',
    description:
      '`rule` (`key` is its name), `rounding` and `referral` are of first recordings, `later` is the change by revisions: together the points of all orders.',
    example: { measure: 'rule', program: 1, key: 'base', n: 1, points: '540' },
  },
  orders: {
    measures: ['orders', 'revisions', 'nothing'],
    operationId: 'showOrderStatistics',
    summary: 'Get order counts, revisions and zero-point reasons',
    description:
      '`orders` are first recordings, `revisions` changes of orders (`key`: placed, changed, moved, cancelled, returned), `nothing` first recordings of 0 points (`key`: the reason).',
    example: { measure: 'orders', program: 1, key: '', n: 1, points: '540' },
  },
  attributes: {
    measures: ['attribute'],
    operationId: 'showAttributeStatistics',
    summary: 'Get orders and points by an attribute of orders',
    description:
      '`key` is the value of the attribute that `statistics.by` of the program names, empty for orders without one; `n` are first recordings, `points` those of all revisions.',
    example: undefined,
  },
  predictions: {
    measures: PREDICTION_MEASURES,
    operationId: 'showPredictionStatistics',
    summary: 'Get prediction counts and accuracy',
    description:
      '`asked-kept`, `asked-left-out` and `asked-dropped` are predictions stored, left out by sampling or dropped (`key`: the token ID); `came-true`, `differed` (`key`: why; `points`: predicted less recorded), `none-kept` and `not-compared` are orders at their first recording. On either basis, they count on the date of the prediction or of the recording.',
    example: undefined,
  },
} as const satisfies Record<
  string,
  Omit<Description, 'tag' | 'example'> &
    Readonly<{ measures: readonly StatisticsMeasure[]; example: object | undefined }>
>

const LEVELS = {
  operationId: 'showLevelStatistics',
  tag: 'statistics',
  summary: 'Get moves between levels, and the players on each',
  description:
    'A move belongs to the first recording of the order that led to it. Players are as of the last sweep over all accounts.',
  example: {
    response: {
      ...EXAMPLE_RANGE,
      per: 'day',
      swept_at: EXAMPLE_RANGE.as_of,
      levels: [NOBODY_ON_BRONZE],
      moves: [{ day: '2026-06-01', program: 1, before: 'Bronze', after: 'Silver', n: 1, ...NOW_EXACTLY }],
    },
  },
} as const satisfies Description

const ACCOUNTS = {
  operationId: 'showAccountStatistics',
  tag: 'statistics',
  summary: 'Get points, activity, levels and largest balances of all players',
  description:
    'Points and activity are current; the rest is as of the last sweep over all accounts (hourly). Without the scope `support`, players have handles in place of IDs.',
  example: {
    response: {
      as_of: EXAMPLE_RANGE.as_of,
      swept_at: EXAMPLE_RANGE.as_of,
      quality: 'swept',
      players: 1,
      balance: '690',
      debts: '0',
      active_30: ONE_PLAYER,
      active_90: ONE_PLAYER,
      points: {
        swept_at: EXAMPLE_RANGE.as_of,
        ...NOW_EXACTLY,
        day: '2026-06-01',
        outstanding: '690',
        pending: '0',
        held: '0',
        expired: '0',
      },
      levels: [NOBODY_ON_BRONZE],
      top: [{ user_id: 'u-1', points: '690', as_of: EXAMPLE_RANGE.as_of, quality: 'swept' }],
    },
  },
} as const satisfies Description

/** Figures of the ledger (docs/statistics.md). */
export function adminStatisticsRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      STATISTICS_RESPONSES,
      'GET /api/admin/statistics/summary',
      ['read'],
      { flags: ['compare'], texts: SPAN, rows: 'figures', described: SUMMARY },
      cachedResponses(
        deps.now,
        ({ figures }) => figures.length,
        async ({ texts, flags, deadlineAt }) =>
          wireSummary(await summariseStatistics(deps, { ...texts, compare: flags.compare! }, deadlineAt)),
      ),
    ),
    listRoute(deps, 'points'),
    listRoute(deps, 'rules'),
    listRoute(deps, 'orders'),
    listRoute(deps, 'attributes'),
    listRoute(deps, 'predictions'),
    adminRoute(
      STATISTICS_RESPONSES,
      'GET /api/admin/statistics/accounts',
      ['read'],
      { rows: 'top', described: ACCOUNTS },
      async ({ caller, deadlineAt }) => {
        const view = viewOf(caller, deps.handles)
        const asOf = deps.now().toISOString()
        const [swept, totals] = await Promise.all([
          showAccounts(deps, deadlineAt),
          findTotals(readerOf(deps.db, deadlineAt), deps.programs(), asOf),
        ])
        return {
          as_of: asOf,
          swept_at: swept?.at ?? null,
          quality: swept === undefined ? null : ('swept' as const),
          players: swept?.players ?? null,
          balance: swept?.balance ?? null,
          debts: swept?.debts ?? null,
          points: wirePoints(totals),
          active_30: wireActive(totals, 'active_30'),
          active_90: wireActive(totals, 'active_90'),
          levels: (swept?.levels ?? []).map(wireLevel),
          top: (swept?.top ?? []).map(({ userId, points }) => ({
            ...{ user_id: view.id(userId), points },
            ...{ as_of: swept!.at, quality: 'swept' as const },
          })),
        }
      },
    ),
    adminRoute(
      STATISTICS_RESPONSES,
      'GET /api/admin/statistics/levels',
      ['read'],
      { texts: SPAN_BY, rows: 'moves', described: LEVELS },
      cachedResponses(
        deps.now,
        ({ moves }) => moves.length,
        async ({ texts, deadlineAt }) => {
          const [{ asOf, lines, ...rangeFields }, swept] = await Promise.all([
            showStatistics(deps, ['level'], texts, deadlineAt),
            showAccounts(deps, deadlineAt),
          ])
          return {
            as_of: asOf,
            ...rangeFields,
            swept_at: swept?.at ?? null,
            levels: (swept?.levels ?? []).map(wireLevel),
            moves: lines.map((line) => wireMove(line, asOf)),
          }
        },
      ),
    ),
  ]
}

type Accounts = Static<(typeof STATISTICS_RESPONSES)['GET /api/admin/statistics/accounts']>

function wirePoints(totals: AccountTotals | undefined): Accounts['points'] {
  if (totals === undefined) return null
  const { at, quality, day, outstanding, pending, held, expired } = totals
  return { swept_at: at, as_of: at, quality, day, outstanding, pending, held, expired }
}

function wireActive(totals: AccountTotals | undefined, name: 'active_30' | 'active_90'): Accounts['active_30'] {
  if (totals === undefined) return null
  const { at, quality, [name]: n } = totals
  return { n, low: n, high: n, as_of: at, quality }
}

function wireLevel({ at, ...level }: QualifiedEstimate & Readonly<{ level: string }>): Accounts['levels'][number] {
  return { ...level, as_of: at }
}

function listRoute(deps: Deps, name: keyof typeof LISTS): Route {
  const { measures, example, ...described } = LISTS[name]
  const lines = example === undefined ? [] : [{ day: '2026-06-01', ...NOW_EXACTLY, ...example }]
  return adminRoute(
    STATISTICS_RESPONSES,
    `GET /api/admin/statistics/${name}`,
    ['read'],
    {
      texts: SPAN_BY,
      rows: 'lines',
      described: { ...described, tag: 'statistics', example: { response: { ...EXAMPLE_RANGE, per: 'day', lines } } },
    },
    cachedResponses(
      deps.now,
      ({ lines }) => lines.length,
      async ({ texts, deadlineAt }) => {
        const { asOf, lines, ...rangeFields } = await showStatistics(deps, measures, texts, deadlineAt)
        return { as_of: asOf, ...rangeFields, lines: lines.map((line) => wireLine(line, asOf)) }
      },
    ),
  )
}

type List = Static<(typeof STATISTICS_RESPONSES)['GET /api/admin/statistics/points']>
type Summary = Static<(typeof STATISTICS_RESPONSES)['GET /api/admin/statistics/summary']>
type Moves = Static<(typeof STATISTICS_RESPONSES)['GET /api/admin/statistics/levels']>

function wireLine({ program, n, ...line }: QualifiedLine, as_of: string): List['lines'][number] {
  return { ...line, program: wireProgram(program), n: Number(n), as_of }
}

function wireMove({ day, program, key, n, quality }: QualifiedLine, as_of: string): Moves['moves'][number] {
  const [before = '', after = ''] = key.split('\t')
  return { day, program: wireProgram(program), before, after, n: Number(n), as_of, quality }
}

function wireSummary({ asOf, basis, from, to, before, backfill, figures, worth }: StatisticsSummary): Summary {
  const numberOrNull = (n: bigint | undefined) => (n === undefined ? null : Number(n))
  return {
    as_of: asOf,
    basis,
    from,
    to,
    before: before === undefined ? null : { from: before.from, to: before.to },
    backfill: backfill ?? null,
    figures: figures.map(({ figure, asOf: as_of, quality, sums, before: sumsBefore }) => ({
      figure,
      as_of,
      quality,
      n: numberOrNull(sums.n),
      points: sums.points?.toString() ?? null,
      n_before: numberOrNull(sumsBefore?.n),
      points_before: sumsBefore?.points?.toString() ?? null,
    })),
    worth:
      worth === undefined
        ? null
        : {
            each: ratioText(worth.each),
            by: worth.version === undefined ? 'setting' : 'program',
            version: worth.version ?? null,
            outstanding: worth.outstanding === undefined ? null : ratioText(worth.outstanding),
            currency: worth.currency,
            as_of: worth.asOf,
            quality: worth.quality,
          },
  }
}

/** Null for 0, which stands for none: versions begin at 1. */
function wireProgram(program: number): number | null {
  return program === 0 ? null : program
}

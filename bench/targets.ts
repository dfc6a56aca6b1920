/*
 * What every figure must reach, and what it should: [must, aim] for each database. An absent database has no target.
 */

/** `ratio` is ours over the floor of the same run; `ours` stands for itself. */
export type Bound = Readonly<{ of: 'ratio' | 'ours'; is: 'at least' | 'at most' }>

export type Goals = readonly [must: number, aim?: number]

export type Target = Readonly<{
  figure: string
  unit: 'records/s' | 'requests/s' | 'orders/s' | 'predictions/s' | 'accounts/s' | 'us' | 'ms' | 'MB'
  bound: Bound
  /** Inverts the ratio to floor over ours, so that 0.5 always means half as good. */
  lessIsBetter?: boolean
  postgres?: Goals
  embedded?: Goals
  none?: Goals
}>

const timesTheFloor = { of: 'ratio', is: 'at least' } as const
const timesAtMost = { of: 'ratio', is: 'at most' } as const
const atLeast = { of: 'ours', is: 'at least' } as const
const atMost = { of: 'ours', is: 'at most' } as const

export const TARGETS = {
  engine: {
    figure: 'predictions of the engine',
    unit: 'predictions/s',
    bound: atLeast,
    none: [150_000],
  },
  engineBesideRules: {
    figure: 'the same beside a rules engine',
    unit: 'predictions/s',
    bound: timesTheFloor,
    none: [10],
  },
  playersNew: {
    figure: 'bulk upsert of new players',
    unit: 'records/s',
    bound: timesTheFloor,
    postgres: [0.6, 0.9],
    embedded: [0.4, 0.6],
  },
  playersUnchanged: {
    figure: 'the same players again, unchanged',
    unit: 'records/s',
    bound: timesTheFloor,
    postgres: [1.5, 3],
    embedded: [1, 2],
  },
  playersBesideExpress: {
    figure: 'new players beside Express, zod, Knex',
    unit: 'records/s',
    bound: timesTheFloor,
    postgres: [2, 3],
    embedded: [1.2, 2],
  },
  largeRequest: {
    figure: 'one large request of new players',
    unit: 'records/s',
    bound: timesTheFloor,
    postgres: [0.5, 0.8],
    embedded: [0.4, 0.6],
  },
  memory: {
    figure: 'memory above idle meanwhile',
    unit: 'MB',
    bound: atMost,
    postgres: [400],
    embedded: [600],
  },
  productsNew: {
    figure: 'bulk upsert of new products',
    unit: 'records/s',
    bound: timesTheFloor,
    postgres: [0.5, 0.8],
    embedded: [0.3, 0.5],
  },
  productsUnchanged: {
    figure: 'the same products again, unchanged',
    unit: 'records/s',
    bound: timesTheFloor,
    postgres: [1.2, 2.5],
    embedded: [0.8, 1.5],
  },
  predictions: {
    figure: 'predictions',
    unit: 'requests/s',
    bound: timesTheFloor,
    postgres: [0.5, 0.65],
    embedded: [0.25, 0.4],
  },
  predictionsCold: {
    figure: 'predictions of players not asked about before',
    unit: 'requests/s',
    bound: timesTheFloor,
    embedded: [0.25, 0.4],
  },
  predictionsRecorded: {
    figure: 'predictions of orders already recorded',
    unit: 'requests/s',
    bound: timesTheFloor,
  },
  predictionsWaiting: {
    figure: 'predictions where points wait, end and pay',
    unit: 'requests/s',
    bound: timesTheFloor,
  },
  predictionsRedeeming: {
    figure: 'predictions of orders that redeem points',
    unit: 'requests/s',
    bound: timesTheFloor,
  },
  predictionsBesideQuery: {
    figure: 'predictions beside a query for each',
    unit: 'requests/s',
    bound: timesTheFloor,
    postgres: [2, 2.8],
  },
  predictionP99: {
    figure: 'p99 of predictions',
    unit: 'ms',
    bound: atMost,
    postgres: [10],
    embedded: [25],
  },
  crowdedP99: {
    figure: 'p99 of predictions beside bulk upserts',
    unit: 'ms',
    bound: timesAtMost,
    postgres: [4],
    embedded: [8],
  },
  orders: {
    figure: 'orders recorded',
    unit: 'orders/s',
    bound: timesTheFloor,
    postgres: [0.4, 0.7],
    embedded: [0.2, 0.4],
  },
  ordersAgain: {
    figure: 'orders already recorded, sent again',
    unit: 'orders/s',
    bound: timesTheFloor,
  },
  ordersWaiting: {
    figure: 'orders recorded where points wait, end and pay',
    unit: 'orders/s',
    bound: timesTheFloor,
  },
  ordersRedeeming: {
    figure: 'orders recorded that redeem points',
    unit: 'orders/s',
    bound: timesTheFloor,
  },
  singleOrders: {
    figure: 'orders recorded, one in each request',
    unit: 'orders/s',
    bound: timesTheFloor,
    postgres: [1.5],
    embedded: [1.5],
  },
  predictionsOfAttributes: {
    figure: 'predictions with attributes',
    unit: 'requests/s',
    bound: timesTheFloor,
  },
  ordersOfAttributes: {
    figure: 'orders recorded with attributes',
    unit: 'orders/s',
    bound: timesTheFloor,
  },
  predictionsOfServices: {
    figure: 'predictions of several services',
    unit: 'requests/s',
    bound: timesTheFloor,
  },
  ordersOfServices: {
    figure: 'orders of several services',
    unit: 'orders/s',
    bound: timesTheFloor,
  },
  backgroundP99: {
    figure: 'p99 of predictions beside background work',
    unit: 'ms',
    bound: timesAtMost,
    postgres: [1.2],
    embedded: [1.2],
  },
  loopP99: {
    figure: 'p99 of predictions beside an endless loop',
    unit: 'ms',
    bound: timesAtMost,
  },
  statistics: {
    figure: 'p95 of statistics',
    unit: 'ms',
    bound: atMost,
    postgres: [50],
    embedded: [100],
  },
  watchedP99: {
    figure: 'p99 of predictions while people look at statistics',
    unit: 'ms',
    bound: timesAtMost,
    postgres: [1.1],
    embedded: [1.1],
  },
  backtest: {
    figure: 'orders of a backtest',
    unit: 'orders/s',
    bound: atLeast,
    postgres: [50_000, 100_000],
  },
  backtestMemory: {
    figure: 'memory of a backtest',
    unit: 'MB',
    bound: timesAtMost,
    postgres: [2],
  },
  balancesShown: {
    figure: 'an account of very many entries, shown',
    unit: 'ms',
    bound: timesAtMost,
  },
  balancesPredicted: {
    figure: 'the same, an order predicted that redeems',
    unit: 'ms',
    bound: timesAtMost,
  },
  balancesHeld: {
    figure: 'the same, points held',
    unit: 'ms',
    bound: timesAtMost,
  },
  balancesReport: {
    figure: 'accounts of a report of points',
    unit: 'accounts/s',
    bound: atLeast,
  },
  balancesReportMemory: {
    figure: 'memory of a report of points',
    unit: 'MB',
    bound: timesAtMost,
  },
  recountChanged: {
    figure: 'a changed account counted anew',
    unit: 'us',
    bound: atMost,
  },
  recountDue: {
    figure: 'a due account counted anew',
    unit: 'us',
    bound: atMost,
  },
  start: {
    figure: 'ready after start on existing data',
    unit: 'ms',
    bound: atMost,
    postgres: [1_000],
    embedded: [1_500],
  },
} as const satisfies Record<string, Target>

/** Figures at the large size beside those at the small one. */
export const GROWTH: Pick<Target, 'bound' | 'postgres' | 'embedded'> = {
  bound: timesTheFloor,
  postgres: [0.8],
  embedded: [0.8],
}

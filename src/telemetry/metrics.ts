import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { REDEEM_REFUSALS } from '../engine/points/ledger/redemptions.ts'
import { NOTHING_REASONS, REDEMPTION_STATES } from '../engine/points/model.ts'
import { DIFFERENCE_REASONS } from '../engine/points/prediction-difference.ts'
import {
  type LedgerLine,
  type Observation,
  type Observe,
  RECORD_TYPES,
  RETRY_REASONS,
  type RecordType,
} from './observation.ts'
import { type ServiceSizes, showSizes } from './size-metrics.ts'

/** The handlers of those kinds of observations that are counted. */
type Handlers = { [Kind in Observation['kind']]?: (observation: Extract<Observation, { kind: Kind }>) => void }

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * The metrics of a process: `observe` feeds them, `text` is what Prometheus scrapes. `sizes` returns what the service holds at that moment,
 * `droppedLines` how many log lines were dropped.
 * A worker passes `textOfAll`, which Prometheus then scrapes instead; the primary's `textOfWorkers` collects the metrics of this process.
 */
export function createMetrics(
  sizes: () => ServiceSizes,
  droppedLines: () => number = () => 0,
  textOfAll?: () => Promise<string>,
): Readonly<{ observe: Observe; text: () => Promise<string>; contentType: string }> {
  const registry = new Registry()
  if (textOfAll !== undefined) {
    AggregatorRegistry.setRegistries([registry])
    new AggregatorRegistry() // Answers requests for metrics from the primary.
  }
  collectDefaultMetrics({ register: registry })
  const spent = counter(registry, {
    name: 'laurel_points_spent_total',
    help: 'Points spent by orders, redemptions and adjustments; laurel_points_given_back_total of them were refunded',
  })
  const handlers: Handlers = {
    ...countRequests(registry),
    ...countPredictions(registry),
    ...countRecords(registry),
    ...countLedger(registry, spent),
    ...countRedemptions(registry, spent),
    ...showBalances(registry),
    ...showLastBackup(registry),
  }
  showSizes(registry, sizes)
  countDroppedLines(registry, droppedLines)
  return {
    observe: (observation) => (handlers[observation.kind] as Observe | undefined)?.(observation),
    text: textOfAll ?? (() => registry.metrics()),
    contentType: registry.contentType,
  }
}

/**
 * For the primary of several workers: returns a function that collects the metrics of all workers into one text. Counters and sizes are
 * summed, event-loop delays averaged. Errors: a worker does not answer within 5 seconds.
 */
export function textOfWorkers(): () => Promise<string> {
  const registry = new AggregatorRegistry()
  return () => registry.clusterMetrics()
}

function countRequests(registry: Registry): Handlers {
  const requests = new Histogram({
    name: 'laurel_http_request_seconds',
    help: 'Request duration by method, route and status; predictions refused under load count as 0 s with status 503',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  const refused = counter(registry, { name: 'laurel_tokens_refused_total', help: 'Requests with an invalid token' })
  const failures = counter(registry, {
    name: 'laurel_request_failures_total',
    help: 'Requests that failed with an internal error; should be 0',
  })
  const retries = counter(registry, {
    name: 'laurel_store_retries_total',
    help: 'Retries of database work, by reason',
    by: { reason: RETRY_REASONS },
  })
  // Looking up labels costs more than counting, so they are cached.
  const cache = new Map<string, ReturnType<typeof requests.labels>>()
  const requestsOf = ({ method, route, status }: Readonly<{ method: string; route: string; status: number }>) => {
    const name = `${method} ${status} ${route}`
    const cached = cache.get(name)
    if (cached !== undefined) return cached
    const made = requests.labels({ method, route, status })
    cache.set(name, made)
    return made
  }
  return {
    'request-answered': (answered) => requestsOf(answered).observe(answered.durationMs / 1_000),
    'request-refused': (answered) => requestsOf(answered).observe(0),
    'request-failed': () => failures.inc(),
    'token-refused': () => refused.inc(),
    'store-retried': ({ reason }) => retries.inc({ reason }),
  }
}

function countPredictions(registry: Registry): Handlers {
  const durations = new Histogram({
    name: 'laurel_prediction_seconds',
    help: 'Prediction duration, including its query',
    buckets: SECONDS,
    registers: [registry],
  }).labels() // Looking up labels costs more than counting.
  const kept = counter(registry, {
    name: 'laurel_predictions_total',
    help: 'Predictions, by whether they were stored for statistics',
    by: { fate: ['kept', 'left-out', 'dropped'] },
  })
  const compared = [
    {
      name: 'laurel_predictions_compared_total',
      help: 'Orders recorded for the first time, by the outcome of their prediction',
    },
    { name: 'laurel_promises_total', help: 'The former name of laurel_predictions_compared_total' },
  ].map((named) =>
    counter(registry, {
      ...named,
      by: { outcome: ['came-true', 'differed', 'none-kept', 'not-compared'] },
    }),
  )
  const differed = counter(registry, {
    name: 'laurel_predictions_differed_total',
    help: 'Predictions that differed from the recorded order, by all reasons, joined by +; unexplained should be 0',
    by: { reasons: DIFFERENCE_REASONS },
  })
  return {
    'order-predicted': ({ durationMs }) => durations.observe(durationMs / 1_000),
    'predictions-kept': (counts) => {
      kept.inc({ fate: 'kept' }, counts.kept)
      kept.inc({ fate: 'left-out' }, counts.leftOut)
      kept.inc({ fate: 'dropped' }, counts.dropped)
    },
    'predictions-compared': (counts) => {
      for (const one of compared) {
        one.inc({ outcome: 'came-true' }, counts.cameTrue)
        one.inc({ outcome: 'differed' }, counts.differed)
        one.inc({ outcome: 'none-kept' }, counts.noneKept)
        one.inc({ outcome: 'not-compared' }, counts.notCompared)
      }
    },
    'predictions-differed': ({ reasons, count }) => differed.inc({ reasons }, count),
  }
}

function countRecords(registry: Registry): Handlers {
  const verdicts = ['inserted', 'updated', 'skipped'] as const
  const records = counter(registry, {
    name: 'laurel_records_total',
    help: 'Records of upserts by type and verdict; noun is the deprecated name of record_type',
    by: { noun: [], record_type: [], verdict: [] },
  })
  // `noun` is the former name of `record_type` (decision 219).
  const add = (noun: RecordType, counts: Readonly<Record<(typeof verdicts)[number], number>>) => {
    for (const verdict of verdicts) records.inc({ noun, record_type: noun, verdict }, counts[verdict])
  }
  for (const noun of RECORD_TYPES) add(noun, { inserted: 0, updated: 0, skipped: 0 })
  return {
    'batch-upserted': ({ noun, dryRun, ...counts }) => {
      if (!dryRun) add(noun, counts)
    },
  }
}

function countLedger(registry: Registry, spent: Counter<string>): Handlers {
  const issued = counter(registry, {
    name: 'laurel_points_issued_total',
    help: 'Points issued by this process, by kind',
    by: { kind: ['order', 'referral', 'adjustment'] },
  })
  const reversed = counter(registry, {
    name: 'laurel_points_taken_back_total',
    help: 'Points reversed by order changes, by kind',
    by: { kind: ['order', 'referral'] },
  })
  const orders = counter(registry, {
    name: 'laurel_orders_recorded_total',
    help: 'Orders first recorded by this process',
  })
  const nothing = counter(registry, {
    name: 'laurel_orders_earning_nothing_total',
    help: 'Zero-point orders first recorded by this process, by reason',
    by: { reason: NOTHING_REASONS },
  })
  const add: Record<LedgerLine['measure'], (line: LedgerLine) => void> = {
    issued: ({ key, points }) => issued.inc({ kind: key }, points),
    'taken-back': ({ key, points }) => reversed.inc({ kind: key }, -points),
    // Of redemptions a line says what they took less what they gave back, which a counter cannot: see `redemptions-written`.
    spent: ({ key, points }) => {
      if (key === 'adjustment') spent.inc(-points)
    },
    orders: ({ n }) => orders.inc(n),
    nothing: ({ key, n }) => nothing.inc({ reason: key }, n),
  }
  return {
    'ledger-written': ({ lines }) => {
      for (const line of lines) add[line.measure](line)
    },
  }
}

function countRedemptions(registry: Registry, spent: Counter<string>): Handlers {
  const redeemed = counter(registry, {
    name: 'laurel_points_redeemed_total',
    help: 'Points redeemed by orders and redemptions',
  })
  const refunded = counter(registry, {
    name: 'laurel_points_given_back_total',
    help: 'Redeemed points refunded by later states of orders or by voiding',
  })
  const redemptions = counter(registry, {
    name: 'laurel_redemptions_total',
    help: 'Holds and redemptions without an order written by this process, by new state',
    by: { state: REDEMPTION_STATES },
  })
  const refused = counter(registry, {
    name: 'laurel_redemptions_refused_total',
    help: 'Refused redemptions and orders with points, by reason, without predictions',
    by: { reason: REDEEM_REFUSALS },
  })
  return {
    'redemptions-written': (change) => {
      spent.inc(change.redeemed)
      redeemed.inc(change.redeemed)
      refunded.inc(change.refunded)
      for (const state of change.states) redemptions.inc({ state })
    },
    'redemptions-refused': ({ reasons }) => {
      for (const reason of reasons) refused.inc({ reason })
    },
  }
}

/** All processes report the same balances, so they must not be summed. */
function showBalances(registry: Registry): Handlers {
  const registers = [registry]
  const balance = new Gauge({
    name: 'laurel_booked_balance_points',
    help: 'Sum of all balances above 0 in the database',
    aggregator: 'max',
    registers,
  })
  const debts = new Gauge({
    name: 'laurel_booked_debts_points',
    help: 'Sum of all balances below 0 in the database',
    aggregator: 'min',
    registers,
  })
  const outstanding = new Gauge({
    name: 'laurel_outstanding_points',
    help: 'Points that players can spend, including holds, in the database',
    aggregator: 'max',
    registers,
  })
  const pending = new Gauge({
    name: 'laurel_pending_points',
    help: 'Points that players cannot spend yet, at the same time',
    aggregator: 'max',
    registers,
  })
  const outstandingAt = new Gauge({
    name: 'laurel_outstanding_points_timestamp_seconds',
    help: 'Unix time of the last account sweep; 0 before the first',
    aggregator: 'max',
    registers,
  })
  return {
    'balances-summed': (summed) => {
      balance.set(summed.balance)
      debts.set(summed.debts)
    },
    'outstanding-summed': (summed) => {
      outstanding.set(summed.outstanding)
      pending.set(summed.pending)
      outstandingAt.set(Date.parse(summed.at) / 1_000)
    },
  }
}

function showLastBackup(registry: Registry): Handlers {
  const gauge = new Gauge({
    name: 'laurel_last_backup_timestamp_seconds',
    help: 'Unix time of the last backup by laurel backup; 0: none',
    aggregator: 'max',
    registers: [registry],
  })
  return { 'backup-found': ({ at }) => gauge.set(Date.parse(at) / 1_000) }
}

type CounterOptions = Readonly<{
  name: string
  help: string
  /** The labels, with their values known in advance. Those start at 0: a counter that only appears with its first event has no rate for that event. */
  by?: Readonly<Record<string, readonly string[]>>
}>

function counter(registry: Registry, { name, help, by = {} }: CounterOptions): Counter {
  const made = new Counter({ name, help, labelNames: Object.keys(by), registers: [registry] })
  for (const labels of combinationsOf(by)) made.inc(labels, 0)
  return made
}

function combinationsOf(by: Readonly<Record<string, readonly string[]>>): Record<string, string>[] {
  return Object.entries(by).reduce<Record<string, string>[]>(
    (combinations, [label, values]) =>
      combinations.flatMap((chosen) => values.map((value) => ({ ...chosen, [label]: value }))),
    [{}],
  )
}

function countDroppedLines(registry: Registry, droppedLines: () => number): void {
  new Counter({
    name: 'laurel_log_lines_dropped_total',
    help: 'Log lines dropped because the reader of the log stalled',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(droppedLines())
    },
  })
}

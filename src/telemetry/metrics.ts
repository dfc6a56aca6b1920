import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { DEVIATION_REASONS } from '../points/deviation.ts'
import { REDEEM_REFUSALS } from '../points/ledger/redeem-command.ts'
import { NOTHING_REASONS, REDEMPTION_STATES } from '../points/model.ts'
import type { LedgerLine, Observe } from './observation.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * The metrics of one process: `observe` feeds them, `text` is what Prometheus reads. `memoryBytes` is the heap of the embedded database.
 * A worker passes `textOfAll`: then that is what Prometheus reads, and the primary's `textOfWorkers` collects this process's metrics.
 */
export function createMetrics(
  memoryBytes: () => number | undefined,
  textOfAll?: () => Promise<string>,
): Readonly<{ observe: Observe; text: () => Promise<string>; contentType: string }> {
  const registers = [new Registry()]
  if (textOfAll !== undefined) {
    AggregatorRegistry.setRegistries(registers)
    new AggregatorRegistry() // Answers the primary's requests for metrics.
  }
  collectDefaultMetrics({ register: registers[0]! })
  const requests = new Histogram({
    name: 'laurel_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  const predictions = new Histogram({
    name: 'laurel_prediction_seconds',
    help: 'Time to compute a prediction, its query included',
    buckets: SECONDS,
    registers,
  })
  const predictionsKept = new Counter({
    name: 'laurel_predictions_total',
    help: 'Predictions by what became of them in the statistics',
    labelNames: ['fate'],
    registers,
  })
  const predictionsCompared = new Counter({
    name: 'laurel_predictions_compared_total',
    help: 'Recorded orders by how their last prediction came out',
    labelNames: ['outcome'],
    registers,
  })
  const predictionsDiffered = new Counter({
    name: 'laurel_predictions_differed_total',
    help: 'Predictions that did not come true, by everything that differed',
    labelNames: ['reasons'],
    registers,
  })
  const records = new Counter({
    name: 'laurel_records_total',
    help: 'Records of upserts by verdict',
    labelNames: ['noun', 'verdict'],
    registers,
  })
  const refused = new Counter({ name: 'laurel_tokens_refused_total', help: 'Requests with a wrong token', registers })
  const retries = new Counter({
    name: 'laurel_store_retries_total',
    help: 'Database work that was tried again, by reason',
    labelNames: ['reason'],
    registers,
  })
  const failures = new Counter({
    name: 'laurel_request_failures_total',
    help: 'Requests that failed by a fault of the service',
    registers,
  })
  const issued = new Counter({
    name: 'laurel_points_issued_total',
    help: 'Points of entries above 0 that this process has recorded, by kind',
    labelNames: ['kind'],
    registers,
  })
  const takenBack = new Counter({
    name: 'laurel_points_taken_back_total',
    help: 'Points of entries of orders and referrals below 0, by kind, without their sign',
    labelNames: ['kind'],
    registers,
  })
  const spent = new Counter({
    name: 'laurel_points_spent_total',
    help: 'Points that redemptions and adjustments took, without their sign',
    registers,
  })
  const redeemed = new Counter({
    name: 'laurel_points_redeemed_total',
    help: 'Points that orders and redemptions took, without their sign',
    registers,
  })
  const givenBack = new Counter({
    name: 'laurel_points_given_back_total',
    help: 'Points of redemptions that later states of orders, or voiding, gave back',
    registers,
  })
  const redemptions = new Counter({
    name: 'laurel_redemptions_total',
    help: 'Holds and redemptions without an order that this process has written, by the state that they came into',
    labelNames: ['state'],
    registers,
  })
  const redemptionsRefused = new Counter({
    name: 'laurel_redemptions_refused_total',
    help: 'Redemptions, and orders with points, that were refused, by reason; predictions are not counted',
    labelNames: ['reason'],
    registers,
  })
  const orders = new Counter({
    name: 'laurel_orders_recorded_total',
    help: 'Orders that this process has recorded for the first time',
    registers,
  })
  const nothing = new Counter({
    name: 'laurel_orders_earning_nothing_total',
    help: 'Those of them that earned nothing, by the reason',
    labelNames: ['reason'],
    registers,
  })
  const promises = new Counter({
    name: 'laurel_promises_total',
    help: 'Orders recorded for the first time by how what was predicted of them came out',
    labelNames: ['outcome'],
    registers,
  })
  // All processes know the same: the sum of several would be too much.
  const balance = new Gauge({
    name: 'laurel_booked_balance_points',
    help: 'Sum of all balances above 0, of the whole database',
    aggregator: 'max',
    registers,
  })
  const debts = new Gauge({
    name: 'laurel_booked_debts_points',
    help: 'Sum of all balances below 0, of the whole database',
    aggregator: 'min',
    registers,
  })
  const outstanding = new Gauge({
    name: 'laurel_outstanding_points',
    help: 'Points that players can spend, what is held included, of the whole database, when all accounts were looked at closely last',
    aggregator: 'max',
    registers,
  })
  const pending = new Gauge({
    name: 'laurel_pending_points',
    help: 'Points that players cannot spend yet, of the same moment',
    aggregator: 'max',
    registers,
  })
  const outstandingAt = new Gauge({
    name: 'laurel_outstanding_points_timestamp_seconds',
    help: 'That moment; 0 where accounts were not looked at yet',
    aggregator: 'max',
    registers,
  })
  // A counter that appears with its first event has no rate for it.
  for (const kind of ['order', 'referral', 'adjustment']) issued.inc({ kind }, 0)
  for (const kind of ['order', 'referral']) takenBack.inc({ kind }, 0)
  for (const state of REDEMPTION_STATES) redemptions.inc({ state }, 0)
  for (const reason of REDEEM_REFUSALS) redemptionsRefused.inc({ reason }, 0)
  for (const reason of NOTHING_REASONS) nothing.inc({ reason }, 0)
  for (const outcome of ['came-true', 'differed', 'none-kept', 'not-compared']) {
    promises.inc({ outcome }, 0)
    predictionsCompared.inc({ outcome }, 0)
  }
  for (const fate of ['kept', 'left-out', 'dropped']) predictionsKept.inc({ fate }, 0)
  for (const reasons of DEVIATION_REASONS) predictionsDiffered.inc({ reasons }, 0)
  for (const noun of ['players', 'products', 'orders', 'adjustments'])
    for (const verdict of ['inserted', 'updated', 'skipped']) records.inc({ noun, verdict }, 0)
  const addLine = ({ measure, key, n, points }: LedgerLine) => {
    switch (measure) {
      case 'issued':
        return issued.inc({ kind: key }, points)
      case 'taken-back':
        return takenBack.inc({ kind: key }, -points)
      case 'spent':
        // A counter does not go back: what is given back is in the statistics.
        return spent.inc(Math.max(0, -points))
      case 'orders':
        return orders.inc(n)
      case 'nothing':
        return nothing.inc({ reason: key }, n)
    }
  }
  new Gauge({
    name: 'laurel_embedded_database_bytes',
    help: 'Heap of the embedded database, which ends at 2 GiB',
    registers,
    collect() {
      const bytes = memoryBytes()
      if (bytes !== undefined) this.set(bytes)
    },
  })

  // These two are counted for every prediction: looking up their labels each time costs more than counting.
  const unlabelledPredictions = predictions.labels()
  const requestsByName = new Map<string, ReturnType<typeof requests.labels>>()
  const requestsOf = ({ method, route, status }: Readonly<{ method: string; route: string; status: number }>) => {
    const name = `${method} ${status} ${route}`
    const known = requestsByName.get(name)
    if (known !== undefined) return known
    const made = requests.labels({ method, route, status })
    requestsByName.set(name, made)
    return made
  }

  const observe: Observe = (observation) => {
    switch (observation.kind) {
      case 'request-answered':
        return requestsOf(observation).observe(observation.durationMs / 1_000)
      case 'request-refused':
        return requestsOf(observation).observe(0)
      case 'order-predicted':
        return unlabelledPredictions.observe(observation.durationMs / 1_000)
      case 'predictions-kept':
        predictionsKept.inc({ fate: 'kept' }, observation.kept)
        predictionsKept.inc({ fate: 'left-out' }, observation.leftOut)
        return predictionsKept.inc({ fate: 'dropped' }, observation.dropped)
      case 'predictions-compared':
        predictionsCompared.inc({ outcome: 'came-true' }, observation.cameTrue)
        predictionsCompared.inc({ outcome: 'differed' }, observation.differed)
        predictionsCompared.inc({ outcome: 'none-kept' }, observation.noneKept)
        return predictionsCompared.inc({ outcome: 'not-compared' }, observation.notCompared)
      case 'predictions-differed':
        return predictionsDiffered.inc({ reasons: observation.reasons }, observation.count)
      case 'batch-upserted':
        if (observation.dryRun) return
        for (const verdict of ['inserted', 'updated', 'skipped'] as const)
          records.inc({ noun: observation.noun, verdict }, observation[verdict])
        return
      case 'ledger-written':
        return observation.lines.forEach(addLine)
      case 'redemptions-written':
        redeemed.inc(observation.redeemed)
        givenBack.inc(observation.givenBack)
        return observation.states.forEach((state) => {
          redemptions.inc({ state })
        })
      case 'redemptions-refused':
        return observation.reasons.forEach((reason) => {
          redemptionsRefused.inc({ reason })
        })
      case 'promises-compared':
        return promises.inc({ outcome: observation.outcome }, observation.count)
      case 'balances-summed':
        balance.set(observation.balance)
        return debts.set(observation.debts)
      case 'outstanding-summed':
        outstanding.set(observation.outstanding)
        pending.set(observation.pending)
        return outstandingAt.set(Date.parse(observation.at) / 1_000)
      case 'token-refused':
        return refused.inc()
      case 'store-retried':
        return retries.inc({ reason: observation.reason })
      case 'request-failed':
        return failures.inc()
    }
  }
  const text = textOfAll ?? (() => registers[0]!.metrics())
  return { observe, text, contentType: registers[0]!.contentType }
}

/**
 * For the primary of several workers: a function that collects the metrics of all of them into one text. Counters and sizes are added
 * up, delays of the event loop averaged. Errors: a worker does not answer within 5 seconds.
 */
export function textOfWorkers(): () => Promise<string> {
  const registry = new AggregatorRegistry()
  return () => registry.clusterMetrics()
}

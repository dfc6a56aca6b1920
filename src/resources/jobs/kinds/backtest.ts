import { oneOf, timestamp, wholeField } from '../../../engine/ingest/fields.ts'
import { programSource, readValidProgram } from '../../../engine/ingest/program-text.ts'
import { optional, required } from '../../../engine/ingest/record.ts'
import { pointWorth } from '../../../engine/ingest/shop-settings.ts'
import { ATTRIBUTE_SOURCES } from '../../../engine/whatif/attributes-now.ts'
import { backtestResult } from '../../backtests/backtest-result.ts'
import { loadShopSettings } from '../../settings/service.ts'
import { assertRange, jobKind } from '../job-kind.ts'

/** A number of weeks, up to ten years. */
export const weeks = wholeField(520)

export const attributeSource = oneOf(ATTRIBUTE_SOURCES)

const SETTINGS_TIMEOUT_MS = 10_000
/** Computes what recorded orders would have earned under another program. */
export const backtestJob = jobKind({
  scope: 'program',
  worksOn: 'snapshot',
  result: backtestResult,
  fields: {
    source: required('source', programSource),
    from: optional('from', timestamp, undefined),
    to: optional('to', timestamp, undefined),
    attributes: optional('attributes', attributeSource, undefined),
    weeksEarlier: optional('weeks_earlier', weeks, undefined),
    pointValue: optional('point_value', pointWorth, undefined),
  },
  words: {
    title: 'BacktestJob',
    description: 'Recomputes recorded orders under a program, and compares the result with the programs in effect',
    fields: {
      source: 'program text, YAML or JSON',
      from: 'orders from this timestamp on; default: from the first',
      to: 'orders before this timestamp; default: to the last',
      attributes:
        'attributes of products that its rules see. recorded: those that orders kept. now: also those that orders lack and the catalogue has now. Default: recorded',
      weeksEarlier:
        'weeks by which rules that begin after today are moved earlier, to apply to recorded orders; default: as in the source',
      pointValue:
        'value of a point; default: redeem.value in effect, else money.point-value, else redeem.value of the source',
    },
  },
  check: ({ source, from, to }) => {
    readValidProgram(source, 'data.source')
    assertRange(from, to)
  },
  run: async (
    { source, from, to, attributes, weeksEarlier, pointValue },
    { openDatabase, server, now, report, isForSupport },
  ) => {
    const [{ backtestProgram }, { documentOf }, { pointValueText }] = await Promise.all([
      import('../../backtests/backtest-program.ts'),
      import('../../backtests/backtest-document.ts'),
      import('../../settings/point-value.ts'),
    ])
    const db = await openDatabase()
    const shop = await loadShopSettings(db, performance.now() + SETTINGS_TIMEOUT_MS)
    const reportOrders = (done: number, total: number) => report([{ of: 'orders', done, total }])
    const query = { source, from, to, attributes, weeksEarlier, now, leavesOut: !isForSupport }
    const outcome = await backtestProgram(db, query, reportOrders, { server })
    return documentOf(outcome, pointValueText(pointValue, outcome, shop))
  },
})

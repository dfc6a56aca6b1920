import { Argument, type Command } from 'commander'
import { OperatorError } from '../../errors.ts'
import type { RouteResponse } from '../../server/responses.ts'
import { type Client, withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { barsOf, printJson, printText, provenanceText, table } from '../output/print.ts'

export function defineStats(command: Command): void {
  command
    .addArgument(new Argument('[what]', 'which figures').choices(Object.keys(VIEWS)).default('summary'))
    .option(...URL_OPTION)
    .option('--from <day>', 'first day, like 2026-01-31 (default: 30 days up to --to)')
    .option('--to <day>', 'last day (default: today)')
    .option('--basis <basis>', 'ordered or posted: by order date or posting date (default: ordered)')
    .option('--per <period>', 'period of a row: day, month or span (default: span)')
    .option('--compare', 'include the previous period of equal length in the summary, aligned by weekday')
    .option('--json', 'as JSON')
    .action(stats)
}

type StatsOptions = Readonly<{
  url?: string
  json?: true
  from?: string
  to?: string
  basis?: string
  per?: string
  compare?: true
}>

type Query = Readonly<Record<string, string>>
type List = RouteResponse<'GET /api/admin/statistics/points'>

/** How each kind of figures is asked for and printed. */
const VIEWS = {
  summary: async (client, query, json) =>
    print(json, await client.call('GET /api/admin/statistics/summary', { query }), summaryText),
  points: async (client, query, json) =>
    print(json, await client.call('GET /api/admin/statistics/points', { query: perRange(query) }), listText),
  rules: async (client, query, json) =>
    print(json, await client.call('GET /api/admin/statistics/rules', { query: perRange(query) }), listText),
  orders: async (client, query, json) =>
    print(json, await client.call('GET /api/admin/statistics/orders', { query: perRange(query) }), listText),
  attributes: async (client, query, json) =>
    print(json, await client.call('GET /api/admin/statistics/attributes', { query: perRange(query) }), listText),
  predictions: async (client, query, json) =>
    print(json, await client.call('GET /api/admin/statistics/predictions', { query: perRange(query) }), listText),
  levels: async (client, query, json) =>
    print(json, await client.call('GET /api/admin/statistics/levels', { query: perRange(query) }), levelsText),
  accounts: async (client, query, json) => {
    refuse(query, ['from', 'to', 'basis', 'per', 'compare'])
    print(json, await client.call('GET /api/admin/statistics/accounts'), accountsText)
  },
  sources: async (client, query, json) => {
    refuse(query, ['basis', 'per', 'compare'])
    print(json, await client.call('GET /api/admin/sources', { query }), sourcesText)
  },
  // The former name of sources (decision 219).
  feeds: async (client, query, json) => {
    refuse(query, ['basis', 'per', 'compare'])
    print(json, await client.call('GET /api/admin/feeds', { query }), ({ feeds, ...days }) =>
      sourcesText({ ...days, sources: feeds.map(({ noun, ...feed }) => ({ record_type: noun, ...feed })) }),
    )
  },
  'unknown-products': async (client, query, json) => {
    refuse(query, ['from', 'to', 'basis', 'per', 'compare'])
    print(json, await client.call('GET /api/admin/statistics/unknown-products'), unknownText)
  },
  service: async (client, query, json) => {
    refuse(query, ['from', 'to', 'basis', 'per', 'compare'])
    print(json, await client.call('GET /api/admin/service'), serviceText)
  },
} satisfies Readonly<Record<string, (client: Client, query: Query, json: boolean) => Promise<void>>>

/** `laurel stats [what]`: the figures of a range of days, or one kind of them (docs/statistics.md). Errors: OperatorError, CommandFailed, Unavailable. */
async function stats(what: keyof typeof VIEWS, { url, json, compare, ...range }: StatsOptions): Promise<void> {
  const query = { ...range, ...(compare ? { compare: 'true' } : {}) }
  if (what === 'summary') refuse(query, ['per'])
  else refuse(query, ['compare'])
  await withClient(url, (client) => VIEWS[what](client, query, json === true))
}

function refuse(query: Query, names: readonly string[]): void {
  const unsupported = names.find((name) => name in query)
  if (unsupported !== undefined) throw new OperatorError(`--${unsupported} does not apply to these figures`)
}

/** A person wants the totals first, and asks for days where they matter. */
function perRange(query: Query): Query {
  return { per: 'span', ...query }
}

function print<Shown>(json: boolean, response: Shown, textOf: (response: Shown) => string): void {
  if (json) printJson(response)
  else printText(textOf(response))
}

type StatisticsHead = Readonly<{ from: string; to: string; basis: string; as_of: string }>

function formatHeading({ from, to, basis, as_of }: StatisticsHead): string {
  const days = basis === 'ordered' ? 'order date' : 'posting date'
  return `${from} to ${to} by ${days}, as of ${as_of}\n\n`
}

const ISSUED_NOTE = `
issued: all points issued, including by adjustments; reversed points are in taken-back.
laurel points report counts points from orders and referrals, less reversed points.
`

/** The balances are sums of what was booked; the others change by themselves, so that they are known only as of now. */
const ACCOUNTS_NOTE = `
balance, debts: by posting date, at the end of the range.
outstanding to active-90: as accounts are now, whatever the range.
`

function summaryText(response: RouteResponse<'GET /api/admin/statistics/summary'>): string {
  const { before, backfill, figures } = response
  const isCompared = before !== null
  const head = ['figure', 'count', 'points', ...(isCompared ? ['previous', 'previous points'] : []), 'quality', 'as of']
  const rows = figures.map(({ figure, n, points, n_before, points_before, as_of, quality }) => [
    figure,
    shown(n),
    shown(points),
    ...(isCompared ? [shown(n_before), shown(points_before)] : []),
    quality,
    shown(as_of),
  ])
  const compared = before === null ? '' : `\nprevious period: ${before.from} to ${before.to}\n`
  const counting =
    backfill === null
      ? ''
      : `\nBackfill in progress: ${backfill.counted} of about ${backfill.entries} entries. Figures are incomplete.\n`
  const figuresTable = table(head, rows, isCompared ? [1, 2, 3, 4] : [1, 2])
  return formatHeading(response) + figuresTable + ISSUED_NOTE + ACCOUNTS_NOTE + compared + counting
}

function listText(response: List): string {
  const { per, lines } = response
  if (lines.length === 0) return `${formatHeading(response)}No figures.\n`
  const hasPoints = lines.some(({ points }) => points !== '0')
  const bars = barsOf(lines.map(({ n, points }) => (hasPoints ? Number(points) : n)))
  const rows = lines.map(({ day, measure, key, program, n, points, quality }, index) => [
    ...(per === 'span' ? [] : [per === 'month' ? day.slice(0, 7) : day]),
    measure,
    key,
    shown(program),
    String(n),
    points,
    quality,
    bars[index]!,
  ])
  const head = [...(per === 'span' ? [] : [per]), 'measure', 'key', 'version', 'count', 'points', 'quality', '']
  const first = per === 'span' ? 0 : 1
  return formatHeading(response) + table(head, rows, [first + 3, first + 4])
}

function levelsText(response: RouteResponse<'GET /api/admin/statistics/levels'>): string {
  const { per, swept_at, levels, moves } = response
  const moved =
    moves.length === 0
      ? 'No level changes.\n'
      : table(
          [per, 'before', 'after', 'count', 'quality'],
          moves.map(({ day, before, after, n, quality }) => [day, before, after, String(n), quality]),
          [3],
        )
  return `${formatHeading(response)}${moved}\n${levelTable(levels, swept_at)}`
}

type Levels = RouteResponse<'GET /api/admin/statistics/levels'>['levels']

function levelTable(levels: Levels, sweptAt: string | null): string {
  if (sweptAt === null) return 'No account sweep yet: a service runs one when it starts.\n'
  const bars = barsOf(levels.map(({ n }) => n))
  const rows = levels.map(({ level, n, low, high, quality }, index) => [
    level,
    String(n),
    quality === 'sampled' ? `${low} to ${high}` : '',
    bars[index]!,
  ])
  const { quality } = levels[0] ?? { quality: 'swept' }
  return `players ${provenanceText(sweptAt, quality)}\n\n${table(['level', 'players', '95 % range', ''], rows, [1])}`
}

function accountsText(response: RouteResponse<'GET /api/admin/statistics/accounts'>): string {
  const { swept_at, quality, players, balance, debts, points, active_30, active_90, levels, top } = response
  if (swept_at === null) return levelTable([], null)
  const swept = [shown(quality), swept_at]
  const counted = points === null ? ['', ''] : [shown(points.quality), points.swept_at]
  const rows = [
    ['players', shown(players), ...swept],
    ['balance', shown(balance), ...swept],
    ['debts', shown(debts), ...swept],
    ['outstanding', shown(points?.outstanding ?? null), ...counted],
    ['pending', shown(points?.pending ?? null), ...counted],
    ['held', shown(points?.held ?? null), ...counted],
    ['expired', shown(points?.expired ?? null), ...counted],
    ['active in 30 days', shown(active_30?.n ?? null), ...counted],
    ['active in 90 days', shown(active_90?.n ?? null), ...counted],
  ]
  const largest = table(
    ['player', 'points'],
    top.map(({ user_id, points }) => [user_id, points]),
    [1],
  )
  return `${table(['accounts', '', 'quality', 'as of'], rows, [1])}\n${levelTable(levels, swept_at)}\nlargest balances ${provenanceText(swept_at, quality)}\n\n${largest}`
}

function sourcesText({ as_of, from, to, sources }: RouteResponse<'GET /api/admin/sources'>): string {
  if (sources.length === 0) return 'Nothing was sent.\n'
  const minutes = (ms: number | null) => (ms === null ? '' : `${Math.round(ms / 60_000)} min`)
  const rows = sources.map(({ requests, inserted, updated, skipped, refused, changed, unchanged, ...source }) => [
    source.record_type,
    source.token_name ?? source.token,
    shown(source.last_good_at),
    minutes(source.usual_gap_ms),
    ...[requests, inserted, updated, skipped, refused, changed, unchanged].map(shown),
  ])
  const head = [
    'record type',
    'token',
    'last success',
    'usual interval',
    'requests',
    'inserted',
    'updated',
    'skipped',
    'refused',
    'changed',
    'unchanged',
  ]
  return `${from} to ${to}, ${provenanceText(as_of, sources[0]!.quality)}\n\n${table(head, rows, [3, 4, 5, 6, 7, 8, 9, 10])}`
}

function unknownText({ as_of, products }: RouteResponse<'GET /api/admin/statistics/unknown-products'>): string {
  if (products.length === 0) return 'Every product that was named is in the catalogue.\n'
  const rows = products.map(({ sku, orders, predictions, first_named_at, last_named_at, order_id }) => [
    sku,
    String(orders),
    String(predictions),
    first_named_at,
    last_named_at,
    shown(order_id),
  ])
  const head = ['not in the catalogue', 'orders', 'predictions', 'first named', 'last named', 'last order']
  return `${provenanceText(as_of, products[0]!.quality)}\n\n${table(head, rows, [1, 2])}`
}

function serviceText({ since, as_of, quality, routes, process }: RouteResponse<'GET /api/admin/service'>): string {
  const { started_at, heap, database_heap, retries } = process
  const memory = `${megabytesOf(heap)}${database_heap === null ? '' : `, embedded database ${megabytesOf(database_heap)}`}`
  const state = `process since ${started_at}: heap ${memory}; ${retries} retries of the database\n`
  if (routes.length === 0) return `${state}\nThere were no requests.\n`
  const bars = barsOf(routes.map(({ n }) => n))
  const rows = routes.map(({ route, n, invalid, refused, failed, p50_ms, p95_ms, p99_ms }, index) => [
    route,
    ...[n, invalid, refused, failed].map(String),
    ...[p50_ms, p95_ms, p99_ms].map((ms) => (ms === null ? 'longer' : `${ms} ms`)),
    bars[index]!,
  ])
  const head = ['route', 'requests', 'invalid', 'refused', 'failed', 'p50', 'p95', 'p99', '']
  return `${state}\nsince ${since}, ${provenanceText(as_of, quality)}\n\n${table(head, rows, [1, 2, 3, 4, 5, 6, 7])}`
}

function megabytesOf({ bytes, max_bytes }: Readonly<{ bytes: number; max_bytes: number }>): string {
  return `${Math.round(bytes / 2 ** 20)} of ${Math.round(max_bytes / 2 ** 20)} MiB`
}

function shown(value: number | string | null | undefined): string {
  return String(value ?? '-')
}

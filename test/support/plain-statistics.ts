/*
 * Statistics computed plainly from all entries, without the code of the service: the lines for a range of days, a period and a basis.
 */

/** An entry as `PLAIN_ENTRIES` selects it. Days and points are strings. */
export type PlainEntry = Readonly<{
  user_id: string
  kind: 'order' | 'referral' | 'adjustment' | 'redemption' | 'reinstated'
  points: string
  revision: string | null
  program: string
  day: string
  booked_day: string
  change: string | null
  is_from_before: boolean
  is_last: boolean
  explanation: Readonly<{
    nothing?: string
    earned: readonly Readonly<{ rule: string; points: string }>[]
    level: Readonly<{ before: string; after: string }>
  }> | null
}>

/** In the order of recording of each player. */
export const PLAIN_ENTRIES = `
  select user_id, kind, points::text as points, revision::text as revision, coalesce(program_version, 0)::text as program, change,
    coalesce(day, (at at time zone 'utc')::date)::text as day, coalesce(booked_day, (recorded_at at time zone 'utc')::date)::text as booked_day,
    day is null as is_from_before, explanation::jsonb as explanation,
    lead(1) over (partition by user_id, order_id, revision, kind order by seq) is null as is_last
  from entries order by user_id, seq`

export type PlainLine = Readonly<{
  day: string
  measure: string
  program: number | null
  key: string
  n: number
  points: string
}>
export type PlainRange = Readonly<{
  basis: 'ordered' | 'posted'
  per: 'day' | 'month' | 'span'
  from: string
  to: string
}>

/** All lines of some measures, as the API sorts and writes them. */
export function plainLines(
  entries: readonly PlainEntry[],
  measures: readonly string[],
  range: PlainRange,
): PlainLine[] {
  const lines = new Map<string, { line: Omit<PlainLine, 'n' | 'points'>; n: number; micros: bigint }>()
  for (const entry of entries) {
    const day = range.basis === 'ordered' ? entry.day : entry.booked_day
    if (day < range.from || day > range.to) continue
    const first = { day, month: `${day.slice(0, 7)}-01`, span: range.from }[range.per]
    for (const [measure, key, micros, counted = 1] of countedIn(entry)) {
      if (!measures.includes(measure)) continue
      const line = { day: first, measure, program: Number(entry.program) || null, key }
      const name = JSON.stringify(line)
      const sum = lines.get(name) ?? { line, n: 0, micros: 0n }
      lines.set(name, { line, n: sum.n + counted, micros: sum.micros + micros })
    }
  }
  return [...lines.values()]
    .map(({ line, n, micros }) => ({ ...line, n, points: decimalOf(micros) }))
    .sort((a, b) => compare(sortKey(a), sortKey(b)))
}

/** The balance and the debts booked up to a day: the sums of the accounts above and below 0. */
export function plainBalances(entries: readonly PlainEntry[], to: string): { balance: string; debts: string } {
  let [balance, debts] = [0n, 0n]
  const points = new Map<string, bigint>()
  for (const entry of entries) {
    const before = points.get(entry.user_id) ?? 0n
    const after = before + BigInt(entry.points)
    points.set(entry.user_id, after)
    if (entry.booked_day > to) continue
    balance += above0(after) - above0(before)
    debts += BigInt(entry.points) - above0(after) + above0(before)
  }
  return { balance: String(balance), debts: String(debts) }
}

type Counted = readonly [measure: string, key: string, micros: bigint, n?: number]

function countedIn({ kind, points, revision, change, is_from_before, is_last, explanation }: PlainEntry): Counted[] {
  const micros = BigInt(points) * 1_000_000n
  const counted: Counted[] = []
  const isSpent = kind === 'redemption' || (kind === 'adjustment' && micros < 0n)
  if (micros !== 0n) counted.push([isSpent ? 'spent' : micros > 0n ? 'issued' : 'taken-back', kind, micros])
  if (kind !== 'order') return counted
  if (is_last && change !== null) counted.push(['revisions', change, 0n])
  if (revision !== '1') return micros === 0n ? counted : [...counted, ['later', '', micros]]
  const { earned, level } = explanation!
  const nothing = explanation!.nothing ?? (is_from_before && micros === 0n ? 'unknown' : undefined)
  counted.push(['orders', '', micros])
  if (nothing !== undefined) counted.push(['nothing', nothing, 0n])
  const given = earned.map(
    ({ rule, points: exact }): Counted =>
      rule === 'referral' ? ['referral', '', microsOf(exact)] : ['rule', rule, microsOf(exact)],
  )
  const rest = given.reduce((left, [, , one]) => left - one, micros)
  counted.push(...given, ...(rest === 0n ? [] : [['rounding', '', rest] as const]))
  if (level.before !== level.after) counted.push(['level', `${level.before}\t${level.after}`, 0n])
  return counted
}

/** To the nearest millionth, half away from 0. */
function microsOf(exact: string): bigint {
  const [over = '', under = '1'] = exact.split('/')
  const [whole = '', decimals = ''] = over.split('.')
  const [num, den] = [BigInt(whole + decimals), BigInt(under) * 10n ** BigInt(decimals.length)]
  const size = (2_000_000n * (num < 0n ? -num : num) + den) / (2n * den)
  return num < 0n ? -size : size
}

function decimalOf(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0')
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '')
  return micros < 0n ? `-${text}` : text
}

function above0(points: bigint): bigint {
  return points > 0n ? points : 0n
}

function sortKey({ day, measure, program, key }: PlainLine): string {
  return [day, measure, String(program ?? 0).padStart(9, '0'), key].join('\0')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

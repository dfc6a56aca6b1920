/*
 * A points report computed day by day and lot by lot from the stored entries: a second implementation of decisions 138 and 143, which shares no code
 * with the engine.
 */

/** A row of `entries`. Days are strings; `recorded_at` is RFC 3339. */
export type StoredRow = Readonly<{
  user_id: string
  kind: string
  points: number
  change: string | null
  program: number | null
  day: string
  usable_on: string | null
  expires_on: string | null
  slides: boolean | null
  recorded_at: string
}>

type Breakdown = { given: number; pending: number; open: number; spent: number; expired: number }
type Count = { breakdowns: Map<string, Breakdown>; owed: number; ends: Map<string, number> }

/** The figures of a report; sources by `kind program`. */
export type PlainReport = Readonly<{
  lines: Record<string, number>
  pending: number
  owed: number
  sources: Record<string, Record<string, number>>
  ends: Record<string, number>
  months: Record<string, Record<string, number>>
}>

const NEVER = '9999-12-31'

export function plainPointsReport(
  rows: readonly StoredRow[],
  { from, to, knownAt = NEVER, closedAt = knownAt }: { from: string; to: string; knownAt?: string; closedAt?: string },
): PlainReport {
  const lines: Record<string, number> = { issued: 0, redeemed: 0, adjusted: 0, reinstated: 0 }
  const names: Record<string, string> = {
    order: 'issued',
    referral: 'issued',
    adjustment: 'adjusted',
    redemption: 'redeemed',
  }
  const eve = shifted(from, -1)
  const counts = [...new Set(rows.map(({ user_id }) => user_id))].map((id) => {
    const own = rows.filter(({ user_id }) => user_id === id)
    const known = own.filter(({ day, recorded_at }) => day <= to && recorded_at <= knownAt)
    for (const { day, kind, points } of known)
      if (day >= from) lines[names[kind] ?? kind] = lines[names[kind] ?? kind]! + points
    return {
      reported: count(
        own.filter((row) => row.day <= eve && row.recorded_at <= closedAt),
        from,
      ),
      opening: count(
        known.filter(({ day }) => day <= eve),
        from,
      ),
      closing: count(known, shifted(to, 1)),
    }
  })
  const sources: Record<string, Record<string, number>> = {}
  const months: Record<string, Record<string, number>> = {}
  const ends: Record<string, number> = {}
  const total = { opening: 0, late: 0, expired: 0, pending: 0, owed: 0 }
  const left = ({ pending, open }: Breakdown) => pending + open
  for (const { reported, opening, closing } of counts) {
    const of = (one: Count, label: string) =>
      one.breakdowns.get(label) ?? { given: 0, pending: 0, open: 0, spent: 0, expired: 0 }
    for (const label of closing.breakdowns.keys()) {
      const [a, b, c] = [of(reported, label), of(opening, label), of(closing, label)]
      const [kind, program, month] = label.split('|')
      add(sources, `${kind} ${program}`, {
        opening: left(a),
        late: left(b) - left(a),
        given: c.given - b.given,
        spent: b.spent - c.spent,
        expired: b.expired - c.expired,
        closing: left(c),
      })
      add(months, month!, { given: c.given, spent: c.spent, expired: c.expired, open: left(c) })
      total.opening += left(a)
      total.late += left(b) - left(a)
      total.expired += b.expired - c.expired
      total.pending += c.pending
    }
    total.opening -= reported.owed
    total.late -= opening.owed - reported.owed
    total.owed += closing.owed
    add(sources, 'owed ', {
      ...{ opening: -reported.owed, late: reported.owed - opening.owed, given: 0, expired: 0 },
      ...{ spent: opening.owed - closing.owed, closing: -closing.owed },
    })
    for (const [month, points] of closing.ends) ends[month] = (ends[month] ?? 0) + points
  }
  const { pending, owed, ...moved } = total
  const all: Record<string, number> = { ...lines, ...moved }
  all.closing = Object.values(all).reduce((sum, points) => sum + points, 0)
  for (const [month, parts] of Object.entries(months))
    if (Object.values(parts).every((points) => points === 0)) delete months[month]
  return { lines: all, pending, owed, sources, ends, months }
}

function add(sums: Record<string, Record<string, number>>, key: string, parts: Record<string, number>): void {
  sums[key] ??= {}
  for (const [name, points] of Object.entries(parts)) sums[key][name] = (sums[key][name] ?? 0) + points
}

type Lot = { label: string; day: string; usable: string; ends: string; slides: boolean; given: number; left: number }

/** The points of one player on a day; a month is closed on the first day after it (decision 143). */
function count(rows: readonly StoredRow[], until: string): Count {
  const isSpent = ({ kind, points, change }: StoredRow) =>
    kind === 'redemption' || (kind === 'adjustment' && points < 0 !== (change === 'undone'))
  const lots = new Map<string, Lot>()
  for (const row of rows.filter((one) => !isSpent(one))) {
    const { kind, program, day, points } = row
    const usable = row.usable_on === 'infinity' ? NEVER : (row.usable_on ?? day)
    const ends = row.expires_on === 'infinity' ? NEVER : (row.expires_on ?? NEVER)
    const label = [kind, program ?? '', day.slice(0, 7)].join('|')
    const key = [label, day, usable, ends, row.slides === true].join()
    const lot = lots.get(key) ?? { label, day, usable, ends, slides: row.slides === true, given: 0, left: 0 }
    lots.set(key, { ...lot, given: lot.given + points, left: lot.left + points })
  }
  const all = [...lots.values()].sort(
    (a, b) => order(a.ends, b.ends) || Number(a.slides) - Number(b.slides) || order(a.label, b.label),
  )
  let owed = 0
  for (
    let day = [...rows.map((row) => row.day), ...rows.map((row) => row.usable_on ?? row.day), until].sort()[0]!;
    day <= until;
    day = shifted(day, 1)
  ) {
    for (const lot of all)
      if (lot.usable === day) {
        const paid = Math.min(owed, lot.left)
        owed -= paid
        lot.left -= paid
      }
    for (const row of rows)
      if (row.day === day && row.slides === true && row.expires_on! < NEVER)
        for (const lot of all)
          if (lot.slides && lot.usable <= day && lot.ends > day && lot.ends < row.expires_on!)
            lot.ends = row.expires_on!
    let missing = rows.filter((row) => row.day === day && isSpent(row)).reduce((sum, { points }) => sum - points, 0)
    const living = all
      .filter((lot) => lot.usable <= day && lot.ends > day)
      .sort(
        (a, b) =>
          order(a.ends, b.ends) ||
          Number(a.slides) - Number(b.slides) ||
          order(a.usable, b.usable) ||
          order(a.label, b.label),
      )
    for (const lot of living) {
      const drawn = Math.min(missing, lot.left)
      lot.left -= drawn
      missing -= drawn
    }
    owed += missing
  }
  const breakdowns = new Map<string, Breakdown>()
  const ends = new Map<string, number>()
  for (const lot of all) {
    const breakdown = breakdowns.get(lot.label) ?? { given: 0, pending: 0, open: 0, spent: 0, expired: 0 }
    breakdown.given += lot.given
    breakdown.spent += lot.given - lot.left
    const state = lot.usable > until ? 'pending' : lot.ends > until ? 'open' : 'expired'
    breakdown[state] += lot.left
    breakdowns.set(lot.label, breakdown)
    const month = lot.ends === NEVER ? 'never' : shifted(lot.ends, -1).slice(0, 7)
    if (state !== 'expired' && lot.left > 0) ends.set(month, (ends.get(month) ?? 0) + lot.left)
  }
  return { breakdowns, owed, ends }
}

function shifted(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

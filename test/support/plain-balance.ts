/*
 * A balance computed day by day and lot by lot, written from decision 138 alone. It shares no code with the service, not even its calendar, so that
 * both cannot be wrong in the same way.
 */

/** Points given with the same dates. `usable` and `ends` (the expiry) are days, or `infinity`; `slides`: activity extends the expiry. */
export type PlainLot = Readonly<{ day: string; usable: string; ends: string; slides: boolean; points: bigint }>
export type PlainDebit = Readonly<{ day: string; points: bigint }>
/** Activity on `day` extends the expiry of sliding points to `ends`. */
export type PlainActivity = Readonly<{ day: string; ends: string }>
export type PlainBalance = Readonly<{ available: bigint; pending: bigint; expired: bigint }>

/** The day this many days later. */
export function plainDayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The balance at the end of a day; points taken back are a negative lot with the same dates. */
export function plainBalance(
  until: string,
  given: readonly PlainLot[],
  debits: readonly PlainDebit[],
  activities: readonly PlainActivity[] = [],
): PlainBalance {
  const merged = new Map<string, { day: string; usable: string; ends: string; slides: boolean; left: bigint }>()
  for (const { day, usable, ends, slides, points } of given) {
    const key = `${day} ${usable} ${ends} ${slides}`
    const lot = merged.get(key) ?? { day, usable, ends, slides, left: 0n }
    lot.left += points
    merged.set(key, lot)
  }
  const lots = [...merged.values()]
  // Days on which nothing becomes usable, is spent or is kept alive can be skipped.
  const days = [
    ...lots.map(({ usable }) => usable),
    ...debits.map(({ day }) => day),
    ...activities.map(({ day }) => day),
  ]
  const soonestFirst = () =>
    lots.sort((a, b) => (a.ends === b.ends ? Number(a.slides) - Number(b.slides) : a.ends < b.ends ? -1 : 1))
  let owed = 0n
  for (const day of [...new Set(days)].filter((one) => one <= until).sort()) {
    for (const lot of soonestFirst()) {
      if (lot.usable !== day) continue
      const paid = owed < lot.left ? owed : lot.left
      owed -= paid
      lot.left -= paid
    }
    for (const activity of activities) {
      if (activity.day !== day || activity.ends === 'infinity') continue
      for (const lot of lots)
        if (lot.slides && (lot.usable <= day || lot.day <= day) && lot.ends > day && lot.ends < activity.ends)
          lot.ends = activity.ends
    }
    let missing = debits.reduce((sum, debit) => (debit.day === day ? sum + debit.points : sum), 0n)
    for (const lot of soonestFirst()) {
      if (lot.usable > day || lot.ends <= day) continue
      const drawn = missing < lot.left ? missing : lot.left
      lot.left -= drawn
      missing -= drawn
    }
    owed += missing
  }
  const sum = (of: (lot: (typeof lots)[number]) => boolean) =>
    lots.reduce((total, lot) => (of(lot) ? total + lot.left : total), 0n)
  return {
    available: sum(({ usable, ends }) => usable <= until && ends > until) - owed,
    pending: sum(({ usable }) => usable > until),
    expired: sum(({ usable, ends }) => usable <= until && ends <= until),
  }
}

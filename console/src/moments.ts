const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})
const second = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const

/** "5 May 2026, 14:03", in this browser's time zone. */
export function momentText(moment: string): string {
  const at = Date.parse(moment)
  return Number.isNaN(at) ? moment : minute.format(at)
}

/** "5 May 2026": the day of a moment, in this browser's time zone. */
export function dayText(moment: string): string {
  const at = Date.parse(moment)
  return Number.isNaN(at) ? moment : day.format(at)
}

export function timeText(atMs: number): string {
  return second.format(atMs)
}

/** "3 minutes ago" */
export function agoText(moment: string, nowMs = Date.now()): string {
  const at = Date.parse(moment)
  if (Number.isNaN(at)) return moment
  let amount = (at - nowMs) / 1_000
  for (const [unit, many] of STEPS) {
    if (Math.abs(amount) < many) return ago.format(Math.round(amount), unit)
    amount /= many
  }
  return ago.format(Math.round(amount), 'year')
}

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** "14:03", or "5 May, 14:03", in this browser's time zone. */
export function clockText(moment: string, withDay: boolean): string {
  return (withDay ? dayAndClock : clock).format(Date.parse(moment))
}

/** "5 May" */
export function dateText(moment: string): string {
  return date.format(Date.parse(moment))
}

/** "42 min", "3 h": how long something usually takes. */
export function gapText(ms: number): string {
  const minutes = ms / 60_000
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`
  if (minutes < 90) return `${Math.round(minutes)} min`
  const hours = minutes / 60
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`
}

import type { RouteResponse } from '../../server/responses.ts'

type Entry = RouteResponse<'GET /api/players/:user_id'>['entries'][number]
type Because = Readonly<Record<string, string>>
/** As the API and the ledger show it. */
export type ExplanationJson = Readonly<{
  earned: readonly Readonly<{ rule: string; points: string; because: Because }>[]
  not_applied: readonly Readonly<{ rule: string; why: string }>[]
  rounding: string
  level: Readonly<{ before: string; after: string }>
}>

/** An explanation in lines for people: what each rule gave and why, why others gave nothing, the rounding, the level. */
export function explanationLines({ earned, not_applied, rounding, level }: ExplanationJson): string[] {
  return [
    ...earned.map(({ rule, points, because }) => `${rule}: ${points} (${becauseText(because)})`),
    ...not_applied.map(({ rule, why }) => `${rule}: nothing, ${why}`),
    ...(rounding === '0' ? [] : [`rounding: ${rounding}`]),
    `level: ${level.before === level.after ? level.after : `${level.before} to ${level.after}`}`,
  ]
}

function becauseText(because: Because): string {
  return Object.entries(because)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

/**
 * An entry of the ledger in lines for people: when it was recorded, the moment of the order if that is another, and the date whose points a redemption
 * uses; then its explanation.
 */
export function entryLines({ seq, at, recorded_at, spent_on, points, counts, explanation, ...about }: Entry): string[] {
  const orderTime = at === recorded_at ? '' : `, of ${at}`
  const level = counts ? '' : ' (does not count for the level)'
  const spending = spent_on === undefined ? '' : `, spent on ${spent_on}`
  const head = `#${seq}  ${recorded_at}  ${signed(points)}  ${subjectOf(about)}${orderTime}${spending}${level}`
  return [head, ...(explanation === undefined ? [] : explanationLines(explanation).map((reason) => `    ${reason}`))]
}

function subjectOf({ kind, order_id, change, revision, program, id, redemption_id, reason }: Partial<Entry>): string {
  if (order_id === undefined) return `${kind} ${id ?? redemption_id}: ${reason}`
  const order = `${kind === 'order' ? '' : `${kind} by `}order ${order_id}`
  return `${order}${change === undefined ? '' : ` ${change}`}, revision ${revision}, program ${program}`
}

function signed(points: number): string {
  return points > 0 ? `+${points}` : String(points)
}

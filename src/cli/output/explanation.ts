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

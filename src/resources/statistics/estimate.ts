/** An estimate from a sample, with a 95 % confidence interval from `low` to `high`. */
export type Estimate = Readonly<{ n: number; low: number; high: number }>

/** Standard deviations that cover 95 % of a normal distribution. */
const DEVIATIONS = 1.96

/** Extrapolates `found` of `sampled` to `all`; exact if all were examined. */
export function estimateOf(found: number, sampled: number, all: number): Estimate {
  if (sampled >= all || sampled === 0) return { n: found, low: found, high: found }
  const share = found / sampled
  const margin = DEVIATIONS * Math.sqrt((share * (1 - share)) / sampled)
  const of = (part: number) => Math.round(Math.min(1, Math.max(0, part)) * all)
  return { n: of(share), low: Math.max(found, of(share - margin)), high: of(share + margin) }
}

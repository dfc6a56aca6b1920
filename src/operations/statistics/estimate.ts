/** How many of all, as far as a sample of them tells: with 95 of 100 it lies between `low` and `high`. */
export type Estimate = Readonly<{ n: number; low: number; high: number }>

/** Of 100 samples 95 lie within so many standard deviations. */
const DEVIATIONS = 1.96

/** What `found` of `sampled` say of `all`; where all were looked at, exactly that. */
export function estimateOf(found: number, sampled: number, all: number): Estimate {
  if (sampled >= all || sampled === 0) return { n: found, low: found, high: found }
  const share = found / sampled
  const margin = DEVIATIONS * Math.sqrt((share * (1 - share)) / sampled)
  const of = (part: number) => Math.round(Math.min(1, Math.max(0, part)) * all)
  return { n: of(share), low: Math.max(found, of(share - margin)), high: of(share + margin) }
}

import type { Ratio } from '../arithmetic.ts'
import type { Because, Catalogue, Earned, Line, Order } from '../model.ts'

/** What a rule has before it when its turn comes. `lines` are those that its condition selected, else all. */
export type RuleInput = Readonly<{
  order: Order
  lines: readonly Line[]
  catalogue: Catalogue
  earned: readonly Earned[]
  soFar: Ratio
}>

/** What a rule gives, exact and not rounded, and why. */
export type RuleResult = Readonly<{ points: Ratio; because: Because }>

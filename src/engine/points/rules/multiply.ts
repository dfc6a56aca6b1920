import { nearestName } from '../../../text.ts'
import { AMOUNT_SCALE, amountRatio, product, sum } from '../arithmetic.ts'
import { Type } from '../json-schema.ts'
import type { Amount } from '../units.ts'
import { factorText, readAmount, refuseLines, ruleKind, ruleNames } from './rule-kind.ts'

/** `rules` names earlier rules; absent: all so far. */
type Multiply = Readonly<{ kind: 'multiply'; by: Amount; rules?: readonly string[] }>

/** Multiplies what earlier rules gave by `by`: adds `by - 1` times as much, a negative line where `by` is below 1. Source: docs/programs.md */
export const multiply = ruleKind({
  kind: 'multiply',
  fields: Type.Object(
    { by: factorText, rules: Type.Optional(ruleNames) },
    {
      additionalProperties: false,
      description: 'multiplies the points of earlier rules',
      expected: 'by and rules',
    },
  ),
  read: ({ by, rules }, reading): Multiply => {
    refuseLines(reading)
    rules?.forEach((name, index) => {
      if (reading.earlier.includes(name) || reading.earlier.includes(undefined)) return
      const near = nearestName(
        name,
        reading.earlier.filter((one) => one !== undefined),
      )
      const hint = near === undefined ? 'expected the name of an earlier rule' : `did you mean ${near}?`
      reading.issue(`.rules[${index}]`, `unknown rule "${name}", ${hint}`)
    })
    return {
      kind: 'multiply',
      by: readAmount('by', by, { min: 0n }, reading),
      ...(rules === undefined ? {} : { rules }),
    }
  },
  earn: ({ by, rules }, { earned, soFar }) => {
    const of =
      rules === undefined ? soFar : sum(earned.filter(({ rule }) => rules.includes(rule)).map(({ points }) => points))
    return { points: product(of, amountRatio(by - AMOUNT_SCALE)), because: { by: amountRatio(by), of } }
  },
})

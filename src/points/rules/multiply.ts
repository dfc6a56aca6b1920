import { AMOUNT_SCALE, amountRatio, product, sum } from '../arithmetic.ts'
import { Type } from '../json-schema.ts'
import type { Amount } from '../units.ts'
import { factorText, ruleNames } from './fields.ts'
import { readAmount, refuseLines, ruleKind } from './rule-kind.ts'

/** `rules` are earlier ones; absent: all so far. */
type Multiply = Readonly<{ kind: 'multiply'; by: Amount; rules?: readonly string[] }>

/** Makes what earlier rules gave `by` times as much: adds `by - 1` of it, which below 1 is a negative line. Source: docs/programs.md */
export const multiply = ruleKind({
  kind: 'multiply',
  fields: Type.Object(
    { by: factorText, rules: Type.Optional(ruleNames) },
    {
      additionalProperties: false,
      description: 'makes what earlier rules gave so many times as much',
      expected: 'by and rules',
    },
  ),
  read: ({ by, rules }, reading): Multiply => {
    refuseLines(reading)
    rules?.forEach((name, index) => {
      if (!reading.earlier.has(name))
        reading.fault(`.rules[${index}]`, `the name of an earlier rule, "${name}" is none`)
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

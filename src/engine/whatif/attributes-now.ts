import { attributeSetOf, valuesOfSet } from '../points/attributes.ts'
import type { EvaluationInputs, Order } from '../points/model.ts'
import type { Program } from '../points/program-model.ts'
import type { AttributeSet } from '../points/units.ts'

/** Which attributes of products a candidate sees: those that orders kept, or beside them those of now that orders lack. */
export const ATTRIBUTE_SOURCES = ['recorded', 'now'] as const
export type AttributeSource = (typeof ATTRIBUTE_SOURCES)[number]

/**
 * The attributes of an order's products, with each that the program declares, that neither the line nor its product had when the order was recorded,
 * and that the product has now. `now` is by product. Undefined where no line lacks any.
 */
export function withAttributesNow(
  { lines }: Order,
  { attributes }: Pick<EvaluationInputs, 'attributes'>,
  now: ReadonlyMap<string, AttributeSet>,
  program: Program,
): EvaluationInputs['attributes'] {
  const declared = [...(program.attributes?.product.keys() ?? [])]
  let filled: Map<string, AttributeSet> | undefined
  for (const { sku, attributes: own } of lines) {
    const current = sku === undefined ? undefined : now.get(sku)
    const known = sku === undefined ? undefined : (filled ?? attributes)?.get(sku)
    if (current === undefined || current === known) continue
    const [has, kept] = [valuesOfSet(current), valuesOfSet(known)]
    const seen = { ...kept, ...valuesOfSet(own) }
    const lacking = declared.filter((name) => Object.hasOwn(has, name) && !Object.hasOwn(seen, name))
    if (lacking.length === 0) continue
    filled ??= new Map(attributes)
    filled.set(sku!, attributeSetOf({ ...kept, ...Object.fromEntries(lacking.map((name) => [name, has[name]])) }))
  }
  return filled
}

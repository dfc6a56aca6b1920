import { amountText } from '../points/arithmetic.ts'
import { NO_ATTRIBUTES } from '../points/attributes.ts'
import { attributesField } from './attributes.ts'
import type { RecordKind, Row } from './batch.ts'
import { decimal, key, stateVersion } from './fields.ts'
import { compileReader, optional, type RecordOf, type RecordWords, required } from './record.ts'
import { escaped } from './row.ts'

/** The most bytes of the attributes of a product. */
const ATTRIBUTES_MAX_BYTES = 2_048

/** The fields of a product (specification 2.4; decisions 8, 9, 56 and 71). */
export const productFields = {
  sku: required('product_sku_id', key),
  price: required('amount', decimal),
  stateVersion: optional('state_version', stateVersion, undefined),
  attributes: optional('attributes', attributesField(ATTRIBUTES_MAX_BYTES), undefined),
}

export const PRODUCT_WORDS: RecordWords<typeof productFields> = {
  title: 'Product',
  description: 'A product of the catalogue with its price',
  fields: {
    sku: 'product ID, exact and case-sensitive',
    price: 'the price: up to 15 digits and 4 decimal places, exact; as a string from 12 digits before the point on',
    stateVersion: 'version set by the sender, increased with each change; older versions are skipped',
    attributes: 'what rules may ask about the product, such as its category; default: as stored. {} removes them',
  },
}

/** The attributes in a fingerprint; null if it does not say any. */
export function attributesIn(fingerprint: string): string | null {
  const end = fingerprint.indexOf(' ')
  return end < 0 ? null : fingerprint.slice(end + 1)
}

/** A fingerprint with the attributes of the one before, if it has none; a new product has no attributes. */
export function withAttributesOf(before: string | undefined, fingerprint: string): string {
  if (attributesIn(fingerprint) !== null) return fingerprint
  return `${fingerprint} ${(before === undefined ? null : attributesIn(before)) ?? NO_ATTRIBUTES}`
}

/** A product and its price, an integer of 1/10,000. */
export type ProductRecord = RecordOf<typeof productFields>

const read = compileReader(productFields)

/**
 * How the products of a batch are read. Prices compare by value: `"10"` and `"10.00"` have the same fingerprint (decision 45). Attributes come after the
 * price: most records do not say any, and compare equal whatever is stored.
 */
export const productKind: RecordKind<Row> = {
  wireKey: 'product_sku_id',
  keyField: key,
  accept: (data, path, position) => {
    const record = read(data, path)
    const price = amountText(record.price)
    const { sku, stateVersion, attributes } = record
    const fingerprint = attributes === undefined ? price : `${price} ${attributes}`
    const accepted = { position, key: sku, fingerprint, row: `${escaped(sku)}\t${price}` }
    return stateVersion === undefined ? accepted : { ...accepted, stateVersion }
  },
}

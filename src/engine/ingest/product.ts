import { amountText } from '../points/arithmetic.ts'
import type { RecordKind, Row } from './batch.ts'
import { decimal, key, stateVersion } from './fields.ts'
import { compileReader, optional, type RecordOf, type RecordWords, required } from './record.ts'
import { escaped } from './row.ts'

/** The fields of a product (specification 2.4; decisions 8, 9, 56 and 71). */
export const productFields = {
  sku: required('product_sku_id', key),
  price: required('amount', decimal),
  stateVersion: optional('state_version', stateVersion, undefined),
}

export const PRODUCT_WORDS: RecordWords<typeof productFields> = {
  title: 'Product',
  description: 'A product of the catalogue with its price',
  fields: {
    sku: 'product ID, exact and case-sensitive',
    price: 'the price: up to 15 digits and 4 decimal places, exact; as a string from 12 digits before the point on',
    stateVersion: 'version set by the sender, increased with each change; older versions are skipped',
  },
}

/** A product and its price, an integer of 1/10,000. */
export type ProductRecord = RecordOf<typeof productFields>

const read = compileReader(productFields)

/** How the products of a batch are read. Prices compare by value: `"10"` and `"10.00"` have the same fingerprint (decision 45). */
export const productKind: RecordKind<Row> = {
  wireKey: 'product_sku_id',
  keyField: key,
  accept: (data, path, position) => {
    const record = read(data, path)
    const fingerprint = amountText(record.price)
    const { sku, stateVersion } = record
    const accepted = { position, key: sku, fingerprint, row: `${escaped(sku)}\t${fingerprint}` }
    return stateVersion === undefined ? accepted : { ...accepted, stateVersion }
  },
}

import { amountText } from '../points/arithmetic.ts'
import type { RecordKind, Row } from './batch.ts'
import { decimal, key, stateVersion } from './fields.ts'
import { compileReader, optional, type RecordOf, required } from './record.ts'
import { escaped } from './row.ts'

/** The fields of a product (specification 2.4; decisions 9, 11, 56 and 71). */
export const productFields = {
  sku: required('product_sku_id', key),
  price: required('amount', decimal),
  stateVersion: optional('state_version', stateVersion, undefined),
}

/** A product and its price, an integer of 1/10,000. */
export type ProductRecord = RecordOf<typeof productFields>

const read = compileReader(productFields)

/** How products of a batch are read. Equal by value is equal: `"10"` and `"10.00"` have one fingerprint (decision 46). */
export const productKind: RecordKind<Row> = {
  wireKey: 'product_sku_id',
  keyField: key,
  accept: (data, at, position) => {
    const record = read(data, at)
    const fingerprint = amountText(record.price)
    const { sku, stateVersion } = record
    const accepted = { position, key: sku, fingerprint, row: `${escaped(sku)}\t${fingerprint}` }
    return stateVersion === undefined ? accepted : { ...accepted, stateVersion }
  },
}

import { isCurrency } from '../points/currency.ts'
import { Type } from '../points/json-schema.ts'
import { type Field, InvalidValue } from './record.ts'

/** A currency of ISO 4217, in capitals. */
export const currencyCode: Field<string> = {
  schema: Type.String({ pattern: '^[A-Z]{3}$' }),
  read: (value) => {
    if (typeof value === 'string' && isCurrency(value)) return value
    throw new InvalidValue('an ISO 4217 currency code like EUR', value)
  },
}

/*
 * The responses of the routes of products.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, text, timestamp, exact } = RESPONSE_PARTS
const { rev, stateVersion, after, upsertSummary } = SHARED_RESPONSES

const product = Type.Object(
  {
    sku: text('product ID'),
    price: exact('the price'),
    rev,
    state_version: stateVersion,
    created_at: timestamp('when the product was first sent'),
    updated_at: timestamp('when the record was last changed'),
    attributes: addedField(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        additionalProperties: true,
        description: 'its attributes; empty: none',
      }),
    ),
  },
  { title: 'StoredProduct', description: 'A product as stored' },
)

export const PRODUCT_RESPONSES = {
  'POST /api/integration/products': upsertSummary,
  'GET /api/admin/products': Type.Object(
    { products: listOf(product, 'by sku'), after },
    { title: 'ProductPage', description: 'A page of products' },
  ),
  'GET /api/admin/products/:product_sku_id': product,
} as const

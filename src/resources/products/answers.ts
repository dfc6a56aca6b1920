/*
 * The answers of the routes of products.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, text, moment, exact } = ANSWER_PARTS
const { rev, stateVersion, after, upsertSummary } = SHARED_ANSWERS

const product = Type.Object(
  {
    sku: text('product ID'),
    price: exact('the price'),
    rev,
    state_version: stateVersion,
    created_at: moment('when the product was first sent'),
    updated_at: moment('when the record was last changed'),
  },
  { title: 'StoredProduct', description: 'A product as stored' },
)

export const PRODUCT_ANSWERS = {
  'POST /api/integration/products': upsertSummary,
  'GET /api/admin/products': Type.Object(
    { products: listOf(product, 'by sku'), after },
    { title: 'ProductPage', description: 'A page of products' },
  ),
  'GET /api/admin/products/:product_sku_id': product,
} as const

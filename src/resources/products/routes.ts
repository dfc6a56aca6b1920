import type { Deps } from '../../deps.ts'
import { PRODUCT_WORDS, productFields } from '../../engine/ingest/product.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { type Limits, recordsBody } from '../../routing/body-limits.ts'
import { EXAMPLE_PRODUCT } from '../../routing/example-records.ts'
import type { Description, Route } from '../../routing/route.ts'
import { integrationUpsert, upsertRoute } from '../../routing/upsert-route.ts'
import { PRODUCT_RESPONSES } from './responses.ts'
import { listProducts, showProduct, upsertProducts } from './service.ts'

const productExample = {
  sku: 'TEA-1',
  price: '45',
  rev: 1,
  state_version: null,
  created_at: '2026-06-01T12:00:00.000Z',
  updated_at: '2026-06-01T12:00:00.000Z',
  attributes: {},
}

const DESCRIBED = {
  list: {
    operationId: 'listProducts',
    tag: 'catalogue',
    summary: 'List stored products, by sku',
    description: 'The catalogue, paginated.',
    example: { response: { products: [productExample], after: null } },
  },
  show: {
    operationId: 'showProduct',
    tag: 'catalogue',
    summary: 'Get a stored product',
    description: 'With its price and number of changes.',
    example: { response: productExample },
  },
} as const satisfies Record<string, Description>

/** The catalogue as stored (decision 122). */
export function adminProductRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      PRODUCT_RESPONSES,
      'GET /api/admin/products',
      ['read'],
      { texts: ['after', 'limit', 'prefix'], rows: 'products', described: DESCRIBED.list },
      async ({ texts, deadlineAt }) => {
        const { rows, after } = await listProducts(deps, texts, deadlineAt)
        return { products: rows, after }
      },
    ),
    adminRoute(
      PRODUCT_RESPONSES,
      'GET /api/admin/products/:product_sku_id',
      ['read'],
      { described: DESCRIBED.show },
      ({ params, deadlineAt }) => showProduct(deps, params.product_sku_id!, deadlineAt),
    ),
  ]
}

/** The upsert of the contract. */
export function upsertProductsRoute(deps: Deps, limits: Limits): Route {
  const described = integrationUpsert('products', recordsBody(limits), {
    operationId: 'upsertProducts',
    summary: 'Insert new products and update known ones',
    description: 'Products with an unchanged price count as skipped.',
    record: schemaOf(productFields, PRODUCT_WORDS),
    example: EXAMPLE_PRODUCT,
  })
  return upsertRoute(PRODUCT_RESPONSES, described, upsertProducts, deps, limits)
}

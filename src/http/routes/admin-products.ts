import type { Deps } from '../../operations/deps.ts'
import { listProducts } from '../../operations/list-products.ts'
import { showProduct } from '../../operations/show-product.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** The catalogue as stored (decision 122). */
export function adminProductRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      'GET /api/admin/products',
      ['read'],
      { texts: ['after', 'limit', 'prefix'], rows: 'products' },
      async ({ texts, deadlineAt }) => {
        const { rows, after } = await listProducts(deps, texts, deadlineAt)
        return { products: rows, after }
      },
    ),
    adminRoute('GET /api/admin/products/:product_sku_id', ['read'], {}, ({ params, deadlineAt }) =>
      showProduct(deps, params.product_sku_id!, deadlineAt),
    ),
  ]
}

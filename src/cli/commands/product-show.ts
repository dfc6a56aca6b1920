import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'
import { printValues } from '../output/values.ts'

/** `laurel product show`: a product as stored. */
export async function productShow(sku: string, { url, json }: Readonly<{ url?: string; json?: true }>): Promise<void> {
  await withClient(url, async (client) => {
    const product = await client.call('GET /api/admin/products/:product_sku_id', { params: { product_sku_id: sku } })
    if (json) return printJson(product)
    printValues(product)
  })
}

import type { Command } from 'commander'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { printJson, printValues } from '../output/print.ts'
import { defineForgetVersion } from './forget-version.ts'

export function defineProduct(product: Command): void {
  product
    .command('show <product_sku_id>')
    .description('print a product as stored')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(productShow)
  defineForgetVersion(product, 'product', '<product_sku_id>')
}

/** `laurel product show`: a product as stored. */
async function productShow(sku: string, { url, json }: Readonly<{ url?: string; json?: true }>): Promise<void> {
  await withClient(url, async (client) => {
    const product = await client.call('GET /api/admin/products/:product_sku_id', { params: { product_sku_id: sku } })
    if (json) return printJson(product)
    printValues(product)
  })
}

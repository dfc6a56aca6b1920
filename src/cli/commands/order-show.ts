import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'
import { table } from '../output/table.ts'
import { printValues } from '../output/values.ts'

export type OrderShowOptions = Readonly<{ url?: string; json?: true; reveal?: true }>

/** `laurel order show`: an order as recorded, with its lines. */
export async function orderShow(orderId: string, { url, json, reveal }: OrderShowOptions): Promise<void> {
  await withClient(url, async (client) => {
    const order = await client.call('GET /api/admin/orders/:order_id', {
      params: { order_id: orderId },
      query: { reveal: String(reveal === true) },
    })
    if (json) return printJson(order)
    const { lines, line_count, ...values } = order
    printValues(values)
    if (line_count === 0) return
    const rows = lines.map(({ sku = '', amount = '', qty }) => [sku, amount, qty])
    process.stdout.write(`\n${table(['product', 'amount', 'qty'], rows, [1, 2])}`)
  })
}

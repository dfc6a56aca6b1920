import type { Command } from 'commander'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { printJson, printText, printValues, table } from '../output/print.ts'
import { defineForgetVersion } from './forget-version.ts'

export function defineOrder(order: Command): void {
  order
    .command('show <order_id>')
    .description('print an order as recorded, with its lines')
    .option(...URL_OPTION)
    .option('--reveal', 'with the player ID, masked otherwise; recorded in the audit log')
    .option('--json', 'as JSON')
    .action(orderShow)
  defineForgetVersion(order, 'order', '<order_id>')
}

type OrderShowOptions = Readonly<{ url?: string; json?: true; reveal?: true }>

/** `laurel order show`: an order as recorded, with its lines. */
async function orderShow(orderId: string, { url, json, reveal }: OrderShowOptions): Promise<void> {
  await withClient(url, async (client) => {
    const order = await client.call('GET /api/admin/orders/:order_id', {
      params: { order_id: orderId },
      query: { reveal: String(reveal === true) },
    })
    if (json) return printJson(order)
    const { lines, line_count, attributes, ...values } = order
    printValues({ ...values, ...(attributes === undefined ? {} : { attributes: JSON.stringify(attributes) }) })
    if (line_count === 0) return
    const hasRefunds = lines.some(({ refunded }) => refunded !== undefined)
    const rows = lines.map(({ sku = '', amount = '', qty, refunded }) => [
      ...[sku, amount, qty],
      ...(hasRefunds ? [refundText(refunded)] : []),
    ])
    printText(`\n${table(['product', 'amount', 'qty', ...(hasRefunds ? ['refunded'] : [])], rows, [1, 2, 3])}`)
  })
}

function refundText(refunded: string | Readonly<{ qty: string }> = ''): string {
  return typeof refunded === 'string' ? refunded : `qty ${refunded.qty}`
}

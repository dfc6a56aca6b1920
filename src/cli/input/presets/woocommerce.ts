/*
 * Products: the export that is part of WooCommerce. Customers and orders: WooCommerce's extension Customer / Order / Coupon Export, in the
 * formats "Default" and "Default - One Row per Item"; customers also by Analytics, Customers, Download.
 * Sources of the columns: https://github.com/woocommerce/woocommerce/wiki/Product-CSV-Import-Schema,
 * https://woocommerce.com/document/ordercustomer-csv-export/
 */
import type { PresetTable } from './preset-table.ts'

/** WooCommerce's statuses; in its database, which some exports copy, they begin with wc-. */
const STATUSES: Readonly<Record<string, string>> = {
  pending: 'placed',
  'on-hold': 'placed',
  processing: 'placed',
  completed: 'placed',
  'partially-refunded': 'placed',
  refunded: 'returned',
  cancelled: 'cancelled',
  failed: 'cancelled',
  'checkout-draft': 'cancelled',
  trash: 'cancelled',
}

/** Columns that hardly any other program has: those of customers, products and orders. */
export const woocommerceOnly = ['billing_address_1', 'AOV', 'Is featured?', 'item_product_id']

export const woocommerce: PresetTable = {
  players: {
    of: 'customers',
    // Guests are in the export of orders only.
    dateFormat: 'YYYY-MM-DD',
    fields: {
      order_id: 'order_id',
      ordered_at: 'order_date',
      // Guests have no customer number, but they place orders, too.
      User_id: { lowercase: 'email|billing_email|user_email|Email' },
      Name: 'first_name+" "+last_name|billing_first_name+" "+billing_last_name|Name|email',
      Email: 'email|billing_email|user_email|Email',
      Phone: 'billing_phone',
      Add: 'billing_address_1+" "+billing_address_2',
      District: 'billing_city|City',
      State: 'billing_state_code|billing_state|Region|billing_city|City',
      Pincode: 'billing_postcode|"Postal code"|"Postal Code"',
      Country: 'billing_country|"Country / Region"',
      Refercode: "''",
    },
  },
  products: {
    of: 'products',
    onlyWith: 'amount',
    fields: {
      product_sku_id: 'SKU|ID',
      amount: '"Regular price"',
      'attributes.categories': { list: 'Categories' },
      'attributes.tags': { list: 'Tags' },
    },
  },
  orders: {
    of: 'orders, with one row per item',
    refunds: 'refunded_total',
    dateFormat: 'YYYY-MM-DD',
    fields: {
      order_id: 'order_id',
      user_id: { lowercase: 'billing_email|customer_email' },
      name: 'billing_first_name+" "+billing_last_name|billing_email',
      email: 'billing_email|customer_email',
      phone: 'billing_phone',
      address: 'billing_address_1+" "+billing_address_2',
      // The total is what was paid: shipping earns nothing.
      total_amount: { sum: ['order_total', 'discount_total'], less: ['shipping_total', 'shipping_tax_total'] },
      // As in the preset of Shopify.
      discount: { sum: ['discount_total', 'refunded_total'], less: ['refunded_total'] },
      refferral_code: "''",
      ordered_at: 'order_date',
      // Unpaid orders have none: with points.pending.after fulfilled, their points stay pending.
      fulfilled_at: 'date_paid|paid_date|date_completed',
      currency: 'order_currency',
      status: {
        word: 'status',
        means: Object.fromEntries(
          Object.entries(STATUSES).flatMap(([word, status]) => [
            [word, status],
            [`wc-${word}`, status],
          ]),
        ),
      },
      // As the products: without an SKU by their number. 0 means that there is no variation, or that the product was deleted.
      'products.product_sku_id': [
        'item_sku',
        { word: 'item_variation_id', means: { 0: '' } },
        { word: 'item_product_id', means: { 0: '' } },
        'item_name',
      ],
      'products.qty': 'item_quantity',
      'products.amount': 'item_total',
      'products.refunded': { refunded: ['item_refunded_qty', 'item_refunded'] },
    },
  },
}

/*
 * The exports of Shopify's admin (Customers, Products, Orders: Export, CSV).
 * Sources of the columns: https://help.shopify.com/en/manual/products/import-export/using-csv,
 * https://help.shopify.com/en/manual/customers/import-export-customers, https://help.shopify.com/en/manual/orders/export-orders
 */
import type { PresetTable } from './preset-table.ts'

/** Columns that hardly any other program has: those of customers, products and orders. */
export const shopifyOnly = ['Default Address Address1', 'Variant SKU', 'URL handle', 'Lineitem name']

export const shopify: PresetTable = {
  players: {
    of: 'customers',
    // For the export of orders, whose other columns --map names.
    dateFormat: 'YYYY-MM-DD',
    fields: {
      order_id: 'Name',
      ordered_at: '"Created at"',
      // The export of orders identifies customers by their e-mail address only.
      User_id: { lowercase: 'Email|Phone|"Customer ID"' },
      Name: '"First Name"+" "+"Last Name"|"Default Address Company"|Email',
      Email: 'Email',
      Phone: 'Phone|"Default Address Phone"',
      Add: '"Default Address Address1"+" "+"Default Address Address2"|Address1',
      District: '"Default Address City"|City',
      State: '"Default Address Province Code"|"Province Code"|"Default Address City"|City',
      Pincode: '"Default Address Zip"|Zip',
      Country: '"Default Address Country Code"|"Country Code"',
      Refercode: "''",
      // In the export of orders, these are tags of the order.
      'attributes.tags': { list: 'Tags', beside: 'First Name' },
    },
  },
  products: {
    of: 'products',
    onlyWith: 'amount',
    fields: {
      product_sku_id: '"Variant SKU"|SKU',
      amount: '"Variant Price"|Price',
      'attributes.category': 'Type',
      'attributes.brand': 'Vendor',
      'attributes.tags': { list: 'Tags' },
    },
  },
  orders: {
    of: 'orders',
    refunds: 'Refunded Amount',
    dateFormat: 'YYYY-MM-DD',
    fields: {
      order_id: 'Name',
      user_id: { lowercase: 'Email|Phone|"Billing Phone"' },
      name: '"Billing Name"|"Shipping Name"|Email',
      email: 'Email',
      phone: 'Phone|"Billing Phone"',
      address: '"Billing Street"|"Shipping Street"',
      // The subtotal is the price of the goods after discounts, without shipping.
      total_amount: { sum: ['Subtotal', 'Discount Amount'] },
      // An empty cell is no discount where the row is that of an order, which the amount refunded shows.
      discount: { sum: ['Discount Amount', 'Refunded Amount'], less: ['Refunded Amount'] },
      refferral_code: "''",
      ordered_at: '"Created at"',
      // Unpaid orders have none: with points.pending.after fulfilled, their points stay pending.
      fulfilled_at: '"Paid at"',
      currency: 'Currency',
      status: [
        { ifFilled: 'Cancelled at', text: 'cancelled' },
        {
          word: 'Financial Status',
          means: {
            pending: 'placed',
            authorized: 'placed',
            partially_paid: 'placed',
            paid: 'placed',
            partially_refunded: 'placed',
            refunded: 'returned',
            voided: 'cancelled',
            expired: 'cancelled',
          },
        },
      ],
      'products.product_sku_id': '"Lineitem sku"|"Lineitem name"',
      'products.qty': '"Lineitem quantity"',
      'products.amount': { product: ['Lineitem price', 'Lineitem quantity'] },
    },
  },
}

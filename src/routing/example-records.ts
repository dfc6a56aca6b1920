/*
 * Records for the examples in the API description. A test sends them one after the other.
 */

export const EXAMPLE_PLAYER = {
  User_id: 'u-1',
  Name: 'Asha Rao',
  Email: 'asha@example.com',
  DOB: '31-01-1990',
  Gender: 'female',
  Refercode: 'ASHA',
  State: 'Kerala',
  Pincode: '682001',
  Country: 'India',
} as const

export const EXAMPLE_PRODUCT = { product_sku_id: 'TEA-1', amount: '45.00' } as const

export const EXAMPLE_ORDER = {
  order_id: 'o-1',
  user_id: 'u-1',
  name: 'Asha Rao',
  email: 'asha@example.com',
  refferral_code: '',
  total_amount: '5400',
  discount: '0',
  ordered_at: '2026-06-01T10:00:00Z',
  products: [{ product_sku_id: 'TEA-1', amount: '5400', qty: '120' }],
} as const

/** The response to one new record. */
export const EXAMPLE_SUMMARY = {
  message: '1 record inserted, 0 records updated, 0 records skipped.',
  inserted: 1,
  updated: 0,
  skipped: 0,
} as const

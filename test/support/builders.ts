/*
 * Valid wire records; a test sets only the fields that matter to it.
 */
export const anOrder = (parts: object = {}) => ({
  name: 'Asha Rao',
  email: 'asha@example.com',
  order_id: 'o-1',
  total_amount: '1200',
  discount: '0',
  refferral_code: '',
  user_id: 'u-1',
  products: [{ product_sku_id: 'tea', amount: '1200', qty: '2' }],
  ...parts,
})

export const aPlayer = (parts: object = {}) => ({
  User_id: 'u-1',
  Name: 'Asha Rao',
  Email: 'asha@example.com',
  Phone: '0912345678',
  Add: '',
  DOB: '31-01-1990',
  Gender: 'female',
  Refercode: 'ASHA',
  State: 'Kerala',
  District: 'Ernakulam',
  RefBy: '',
  Pincode: '068201',
  Country: 'India',
  ...parts,
})

export const aProduct = (parts: object = {}) => ({ product_sku_id: 'tea', amount: '4.50', ...parts })

/** A record without one of its fields. */
export function without<T extends object>(record: T, field: string): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== field)) as Partial<T>
}

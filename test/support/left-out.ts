/** What rules may not see without the scope `support`, as answers name it (decision 218). */
export const HIDDEN_FROM_RULES = [
  'birth date',
  'state',
  'district',
  'country',
  'attributes',
  'group',
  'attributes of orders and lines',
]

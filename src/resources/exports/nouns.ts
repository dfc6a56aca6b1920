const list = (names: string): readonly string[] => names.split(' ')

/** What can be exported, and the fields of each, in the order of their columns: those of the API and of the import (decision 159). */
export const EXPORT_FIELDS = {
  players: list(
    'User_id Name Email Phone Add DOB Gender Refercode State District RefBy Pincode Country State_version participates erased created_at updated_at attributes',
  ),
  products: list('product_sku_id amount state_version created_at updated_at attributes'),
  attributes: list('digest attributes'),
  orders: list(
    'order_id user_id status ordered_at total_amount discount total_qty refferral_code subscript_points fulfilled_at ' +
      'points_redeemed redemption_id state_version products is_first revision points referrer_id referrer_points program facts first_digests recorded_at updated_at currency attributes',
  ),
  entries: list(
    'user_id seq kind points counts order_id revision program change at recorded_at id redemption_id reason day booked_day ' +
      'usable_on expires_on slides by explanation',
  ),
  adjustments: list('user_id id points counts reason usable_on expires_on change at recorded_at by'),
  redemptions: list(
    'user_id id state points reward order_id reason program held_on held_until voided_parts created_at updated_at by',
  ),
  programs: list(
    'version name publisher note effective_from published_at withdrawn_at withdrawn_by rounds_first_days source',
  ),
  settings: list('key value changed_at changed_by'),
  erasures: list('digest erased_at erased_by moved_to'),
} as const

export type ExportNoun = keyof typeof EXPORT_FIELDS
export const EXPORT_NOUNS = Object.keys(EXPORT_FIELDS) as readonly ExportNoun[]

/** Everything that balances come from, in one file that `laurel import all` reads. */
export const ALL = 'all'
/** What is in it, in this order. Adjustments are entries. */
export const NOUNS_OF_ALL = [
  'settings',
  'programs',
  'players',
  'erasures',
  'attributes',
  'products',
  'orders',
  'entries',
  'redemptions',
] as const
/** The noun of the last line, by which a file that is not whole is known. */
export const END_OF_ALL = 'end'

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

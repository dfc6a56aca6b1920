/*
 * What the routes answer, as schemas. The server's handlers and the commands take their types from here.
 */
import type { Static, TSchema } from 'typebox'
import { Type } from '../../points/json-schema.ts'

const listOf = <Item extends TSchema>(item: Item) => Type.Immutable(Type.Array(item))
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
/** RFC 3339, UTC. */
const moment = Type.String()

const issuedToken = Type.Object({
  id: Type.String(),
  token: Type.String(),
  name: Type.String(),
  scopes: listOf(Type.String()),
  expires_at: orNull(moment),
})

const listedToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: listOf(Type.String()),
  created_at: moment,
  expires_at: orNull(moment),
  revoked_at: orNull(moment),
  last_used_at: orNull(moment),
})

const player = Type.Object({
  user_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  phone: Type.String(),
  address: Type.String(),
  date_of_birth: orNull(Type.String()),
  gender: Type.String(),
  refer_code: Type.String(),
  state: Type.String(),
  district: Type.String(),
  referred_by: Type.String(),
  pincode: Type.String(),
  country: Type.String(),
  rev: Type.Integer(),
  created_at: moment,
  updated_at: moment,
})

const product = Type.Object({
  sku: Type.String(),
  price: Type.String({ description: 'an exact number' }),
  rev: Type.Integer(),
  state_version: orNull(Type.Integer()),
  created_at: moment,
  updated_at: moment,
})

/** Amounts and quantities are exact numbers as texts. */
const order = {
  order_id: Type.String(),
  user_id: Type.String(),
  status: Type.String(),
  ordered_at: moment,
  total: Type.String(),
  discount: Type.String(),
  qty: orNull(Type.String()),
  line_count: Type.Integer(),
  referral_code: Type.String(),
  subscript_points: Type.Boolean(),
  points: Type.Integer({ description: 'what the order gives now' }),
  referrer_id: orNull(Type.String()),
  referrer_points: Type.Integer(),
  program: Type.Integer({ description: 'the version of its first recording' }),
  rev: Type.Integer(),
  state_version: orNull(Type.Integer()),
  recorded_at: moment,
  updated_at: moment,
}

const line = Type.Object({
  sku: Type.Optional(Type.String()),
  amount: Type.Optional(Type.String()),
  qty: Type.String(),
})

/** The cursor of the next page; null on the last one. */
const after = orNull(Type.String())

const program = {
  version: Type.Integer(),
  name: Type.String(),
  publisher: Type.String(),
  note: Type.String(),
  /** A moment, or `-infinity`. */
  holds_from: Type.String(),
  published_at: moment,
  withdrawn_at: orNull(moment),
  withdrawn_by: orNull(Type.String()),
}

const shopSettingValue = orNull(Type.Union([Type.String(), listOf(Type.String())]))

const shopSettings = Type.Object({
  settings: listOf(
    Type.Object({
      key: Type.String(),
      value: shopSettingValue,
      default: shopSettingValue,
      about: Type.String(),
      /** Of a value that was set. */
      changed_at: orNull(moment),
      changed_by: orNull(Type.String()),
    }),
  ),
})

const nextLevel = orNull(Type.Object({ name: Type.String(), missing: Type.Integer() }))

const standing = {
  user_id: Type.String(),
  points: Type.Integer({ description: 'the balance: what could be spent' }),
  earned: Type.Integer({ description: 'what counts for the level' }),
  level: Type.String(),
  next: nextLevel,
  name: Type.String(),
}

/** Exact numbers are texts: `"123.4"`, or a fraction like `"10/3"`. */
const explanation = Type.Object({
  earned: listOf(
    Type.Object({ rule: Type.String(), points: Type.String(), because: Type.Record(Type.String(), Type.String()) }),
  ),
  not_applied: listOf(Type.Object({ rule: Type.String(), why: Type.String() })),
  rounding: Type.String(),
  level: Type.Object({
    before: Type.String(),
    after: Type.String(),
    upgraded: Type.Boolean(),
    counted: Type.Integer(),
    next: nextLevel,
  }),
  notes: listOf(
    Type.Object({
      kind: Type.String(),
      text: Type.String(),
      line: Type.Optional(Type.Integer()),
      sku: Type.Optional(Type.String()),
    }),
  ),
  /** Why it earns nothing, where it does; absent in what was recorded before it was kept. */
  nothing: Type.Optional(
    Type.Enum(['not-placed', 'nothing-paid', 'no-price', 'no-rule-applies', 'ceiling', 'rounded-away', 'other']),
  ),
  program: Type.Object({ version: Type.Integer(), name: Type.String() }),
})

const entry = Type.Object({
  seq: Type.Integer(),
  kind: Type.String(),
  points: Type.Integer(),
  counts: Type.Boolean(),
  /** Of an order or a referral. */
  order_id: Type.Optional(Type.String()),
  revision: Type.Optional(Type.Integer()),
  program: Type.Optional(Type.Integer()),
  /** What the revision did to the order; absent in entries from before it was kept. */
  change: Type.Optional(Type.Enum(['placed', 'changed', 'moved', 'cancelled', 'returned'])),
  at: moment,
  recorded_at: moment,
  /** Of an adjustment. */
  id: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  explanation: Type.Optional(explanation),
})

const upsertSummary = Type.Object({
  message: Type.String(),
  inserted: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer(),
  unchanged: Type.Optional(
    Type.Integer({ description: 'with unchanged=true: how many valid records changed nothing' }),
  ),
  results: Type.Optional(
    listOf(
      Type.Object({
        position: Type.Integer(),
        key: Type.Optional(Type.String()),
        verdict: Type.Enum(['unchanged', 'invalid', 'stale', 'conflict']),
        path: Type.Optional(Type.String()),
        error: Type.Optional(Type.String()),
      }),
    ),
  ),
  results_more: Type.Optional(Type.Integer({ description: 'how many more there are than results holds' })),
})

/** The body of a 200, by method and path. */
export const ANSWERS = {
  'POST /api/predictions/orders': Type.Object({
    message: Type.String(),
    total_points: Type.Integer(),
    explanation: Type.Optional(explanation),
  }),
  'POST /api/integration/players': upsertSummary,
  'POST /api/integration/products': upsertSummary,
  'POST /api/integration/orders': upsertSummary,
  'GET /api/players/:user_id': Type.Object({ ...standing, entries: listOf(entry), after }),
  'POST /api/players/:user_id/adjustments': Type.Object({ ...standing, repeated: Type.Boolean() }),
  'POST /api/admin/balances': upsertSummary,
  'GET /api/admin/tokens': Type.Object({ tokens: listOf(listedToken) }),
  'POST /api/admin/tokens': issuedToken,
  'POST /api/admin/tokens/:id/revoke': Type.Object({ revoked: Type.String() }),
  'POST /api/admin/tokens/:id/rotate': issuedToken,
  'GET /api/admin/players': Type.Object({ players: listOf(player), after }),
  'POST /api/admin/players/search': Type.Object({ players: listOf(player), after }),
  'GET /api/admin/players/:user_id': player,
  'GET /api/admin/products': Type.Object({ products: listOf(product), after }),
  'GET /api/admin/products/:product_sku_id': product,
  'GET /api/admin/orders': Type.Object({ orders: listOf(Type.Object(order)), after }),
  'GET /api/admin/orders/:order_id': Type.Object({ ...order, lines: listOf(line) }),
  'POST /api/admin/state-versions/:noun/:id/forget': Type.Object({ forgotten: Type.String() }),
  'GET /api/admin/settings': shopSettings,
  'PUT /api/admin/settings': shopSettings,
  'GET /api/admin/statistics/points': Type.Object({
    at: moment,
    basis: Type.Enum(['ordered', 'booked']),
    from: Type.String(),
    to: Type.String(),
    quality: Type.Enum(['exact']),
    lines: listOf(
      Type.Object({
        day: Type.String(),
        measure: Type.String(),
        program: orNull(Type.Integer()),
        key: Type.String(),
        n: Type.Integer(),
        points: Type.String(),
      }),
    ),
  }),
  'GET /api/admin/programs': Type.Object({
    programs: listOf(Type.Object({ ...program, holds_now: Type.Boolean() })),
  }),
  'POST /api/admin/programs': Type.Object({ version: Type.Integer(), name: Type.String(), from: Type.String() }),
  'POST /api/admin/programs/:version/withdraw': Type.Object({ withdrawn: Type.Integer() }),
  'GET /api/admin/programs/:version': Type.Object({ ...program, source: Type.String() }),
} as const

/** A route by method and path, like `GET /api/admin/tokens`. */
export type RouteName = keyof typeof ANSWERS
export type Answer<Name extends RouteName> = Static<(typeof ANSWERS)[Name]>

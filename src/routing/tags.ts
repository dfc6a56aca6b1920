/** The groups of operations in the API description. */
export const TAGS = {
  predictions: 'What an order will earn',
  records: 'Players, products and orders as the shop sends them: inserted where new, updated where known',
  accounts: "Players' points: where a player stands and why, and points that no order earned",
  redemptions: 'Points that are held, and points that are spent without an order',
  players: 'Players as stored',
  catalogue: 'Products as stored',
  orders: 'Orders as recorded',
  statistics: 'What was counted, by day, month or span',
  programs: 'The points program and its versions',
  settings: 'Facts about the shop and its customers, the same for all processes',
  sessions: 'Who is signed in to the console, and what people did',
  jobs: 'Long work that the service does beside its requests, on a snapshot',
  tokens: 'Who may call the service, and what they may do',
  service: 'The service itself: no token is needed',
} as const

export type Tag = keyof typeof TAGS

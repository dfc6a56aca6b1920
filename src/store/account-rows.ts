import type { Account } from '../points/model.ts'

/** An account as statements answer it. */
export type AccountRow = Readonly<{
  points: string
  counted: string
  orders: string
  entries: string
  first_order_id: string | null
  rev: string
}>

export function accountOf({ first_order_id: firstOrderId, ...row }: AccountRow): Account {
  return {
    points: BigInt(row.points),
    levelPoints: BigInt(row.counted),
    orders: BigInt(row.orders),
    entries: BigInt(row.entries),
    ...(firstOrderId === null ? {} : { firstOrderId }),
    rev: BigInt(row.rev),
  }
}

/*
 * What a point is worth, in money: as is asked, else as the program that holds says, else as the shop's settings do (decision 143).
 */
import type { ShopSettings } from '../../ingest/shop-settings.ts'
import { AMOUNT_SCALE, parseRatio, type Ratio, ratio, ratioText } from '../../points/arithmetic.ts'
import type { Program, PublishedProgram } from '../../points/program-model.ts'

/** What a point is worth, and who says so. */
export type PointWorth = Readonly<{ each: Ratio; by: 'asked' | 'program' | 'setting'; version?: number }>

/** As a version says; else as the shop's settings say; undefined where neither does. */
export function worthUnder(holding: PublishedProgram | undefined, shop: ShopSettings): PointWorth | undefined {
  const each = valueIn(holding?.program)
  if (each !== undefined) return { each, by: 'program', version: holding!.version }
  const setting = shop['money.point-value']
  return setting === null ? undefined : { each: parseRatio(setting)!, by: 'setting' }
}

/** The same as a text, with what was asked for before it; undefined where nobody says it. */
export function pointValueText(asked: string | undefined, held: Program, shop: ShopSettings): string | undefined {
  const each = valueIn(held)
  return asked ?? (each === undefined ? undefined : ratioText(each)) ?? shop['money.point-value'] ?? undefined
}

function valueIn(program: Program | undefined): Ratio | undefined {
  const value = program?.redeem?.value
  return value === undefined ? undefined : ratio(value.pays, AMOUNT_SCALE * value.points)
}

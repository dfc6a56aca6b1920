/*
 * What a point is worth in money: the value asked for, otherwise that of the program in effect, otherwise that of the shop's settings (decision 143).
 */
import type { ShopSettings } from '../../engine/ingest/shop-settings.ts'
import { AMOUNT_SCALE, parseRatio, type Ratio, ratio, ratioText } from '../../engine/points/arithmetic.ts'
import type { Program, PublishedProgram } from '../../engine/points/program-model.ts'

/** What a point is worth, and where that value comes from. */
export type PointValue = Readonly<{ each: Ratio; by: 'asked' | 'program' | 'setting'; version?: number }>

/** The value set by a version, otherwise by the shop's settings; undefined if neither sets one. */
export function findPointValue(inEffect: PublishedProgram | undefined, shop: ShopSettings): PointValue | undefined {
  const each = pointValueOf(inEffect?.program)
  if (each !== undefined) return { each, by: 'program', version: inEffect!.version }
  const setting = shop['money.point-value']
  return setting === null ? undefined : { each: parseRatio(setting)!, by: 'setting' }
}

/**
 * The value for a backtest, as a string: the one asked for, otherwise that of the program in effect, of the shop's settings, or of the candidate;
 * undefined if there is none.
 */
export function pointValueText(
  requested: string | undefined,
  { inEffect, candidate }: Readonly<{ inEffect: Program; candidate: Program }>,
  shop: ShopSettings,
): string | undefined {
  const textOf = (each: Ratio | undefined) => (each === undefined ? undefined : ratioText(each))
  return requested ?? textOf(pointValueOf(inEffect)) ?? shop['money.point-value'] ?? textOf(pointValueOf(candidate))
}

/** `redeem.value` of a program, for one point; undefined if it has none. */
export function pointValueOf(program: Program | undefined): Ratio | undefined {
  const value = program?.redeem?.value
  return value === undefined ? undefined : ratio(value.pays, AMOUNT_SCALE * value.points)
}

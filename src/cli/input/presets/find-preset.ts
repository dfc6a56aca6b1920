import { OperatorError } from '../../../errors.ts'
import type { Preset, PresetTable } from './preset-table.ts'
import { shopify, shopifyOnly } from './shopify.ts'
import { woocommerce, woocommerceOnly } from './woocommerce.ts'

const PRESETS: Readonly<Record<string, PresetTable>> = { shopify, woocommerce }

const ONLY: Readonly<Record<string, readonly string[]>> = { shopify: shopifyOnly, woocommerce: woocommerceOnly }

/** The name of the preset that knows a table by its columns, and has this record type. */
export function findPresetOf(columns: readonly string[], recordType: string): string | undefined {
  const names = Object.keys(PRESETS).filter((name) => Object.hasOwn(PRESETS[name]!, recordType))
  return names.find((name) => ONLY[name]!.some((column) => columns.includes(column)))
}

/** The preset with this name for a record type. Errors: OperatorError. */
export function findPreset(name: string, recordType: string): Preset {
  const table = Object.hasOwn(PRESETS, name) ? PRESETS[name]! : undefined
  if (table === undefined)
    throw new OperatorError(`--preset is "${name}": expected ${Object.keys(PRESETS).join(' or ')}`)
  const preset = Object.hasOwn(table, recordType) ? table[recordType] : undefined
  if (preset === undefined)
    throw new OperatorError(`the preset ${name} has no ${recordType}, only ${Object.keys(table).join(', ')}`)
  return preset
}

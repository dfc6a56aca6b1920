import { OperatorError } from '../../../errors.ts'
import type { Preset, PresetTable } from './preset-table.ts'
import { shopify, shopifyOnly } from './shopify.ts'
import { woocommerce, woocommerceOnly } from './woocommerce.ts'

const PRESETS: Readonly<Record<string, PresetTable>> = { shopify, woocommerce }

const ONLY: Readonly<Record<string, readonly string[]>> = { shopify: shopifyOnly, woocommerce: woocommerceOnly }

/** The name of the preset that knows a table by its columns, and has this noun. */
export function findPresetOf(columns: readonly string[], noun: string): string | undefined {
  const names = Object.keys(PRESETS).filter((name) => Object.hasOwn(PRESETS[name]!, noun))
  return names.find((name) => ONLY[name]!.some((column) => columns.includes(column)))
}

/** The preset with this name for a noun. Errors: OperatorError. */
export function findPreset(name: string, noun: string): Preset {
  const table = Object.hasOwn(PRESETS, name) ? PRESETS[name]! : undefined
  if (table === undefined)
    throw new OperatorError(`--preset is "${name}": expected ${Object.keys(PRESETS).join(' or ')}`)
  const preset = Object.hasOwn(table, noun) ? table[noun] : undefined
  if (preset === undefined)
    throw new OperatorError(`the preset ${name} has no ${noun}, only ${Object.keys(table).join(', ')}`)
  return preset
}

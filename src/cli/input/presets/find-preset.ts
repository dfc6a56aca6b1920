import { OperatorError } from '../../../errors.ts'
import type { Preset, PresetTable } from './preset-table.ts'
import { shopify } from './shopify.ts'
import { woocommerce } from './woocommerce.ts'

const PRESETS: Readonly<Record<string, PresetTable>> = { shopify, woocommerce }

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

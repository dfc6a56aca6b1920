import type { Formula } from '../formula.ts'

/** How the export of another product is read: a table of fields of the wire, each with a formula over the columns. */
export type Preset = Readonly<{
  /** Which export this is. */
  of: string
  /** `products.qty` and the like are fields of a line: then the rows of one order make one order. */
  fields: Readonly<Record<string, Formula>>
  /** The column of what was refunded of an order: what its lines say of it stays with them, or else it is spread over all lines by their amounts. */
  refunds?: string
  /** How the export writes dates. */
  dateFormat?: string
  /** Rows in which the formula of this field finds nothing are not records: a picture, or a product that only has variants. */
  onlyWith?: string
}>

/** The presets of one product, by record type. */
export type PresetTable = Readonly<Record<string, Preset>>

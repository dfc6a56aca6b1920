import type { Formula } from '../formula.ts'

/** How the export of another product is read: a table, fields of the wire on the left, formulas over its columns on the right. */
export type Preset = Readonly<{
  /** Which export this is. */
  of: string
  /** `products.qty` and the like are fields of a line: then the rows of one order make one order. */
  fields: Readonly<Record<string, Formula>>
  /** How the export writes dates. */
  dateFormat?: string
  /** Rows in which this formula finds nothing are no records: a picture, or a product that only has variants. */
  onlyWith?: Formula
  /** Columns with an apostrophe in front, which keeps spreadsheets from reading a text as a number. */
  withApostrophe?: readonly string[]
}>

/** The presets of one product, by noun. */
export type PresetTable = Readonly<Record<string, Preset>>

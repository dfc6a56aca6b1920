/*
 * Attributes in tables: a column for each, named `attributes.category`, or formulas for such names.
 */
import type { CompiledFormula, SourceRow } from './formula.ts'
import { isBlank } from './formula.ts'

/** The field of attributes, of a record and of its lines. */
export const ATTRIBUTES = 'attributes'

/** Whether this is the field of attributes of a record or of a line. */
export function isAttributesField(target: string): boolean {
  return target === ATTRIBUTES || target === `products.${ATTRIBUTES}`
}

/** Whether this names an attribute: `attributes.category`, or `products.attributes.category` for a line. */
export function isAttributeColumn(target: string): boolean {
  return isAttributesField(target.slice(0, target.lastIndexOf('.')))
}

/**
 * Reads the attributes in a row: of columns with the names of attributes, and by formulas. An empty cell says nothing. Where there is none of them, what the
 * record itself has in the field.
 */
export function attributesReader(
  field: string,
  formulas: ReadonlyMap<string, CompiledFormula>,
): (row: SourceRow) => unknown {
  const start = `${field}.`
  const written = [...formulas].filter(([target]) => target.startsWith(start))
  const nameOf = (target: string) => target.slice(start.length)
  return (row) => {
    const columns = field === ATTRIBUTES ? Object.keys(row).filter((column) => column.startsWith(start)) : []
    const found = [
      ...columns.map((column) => [nameOf(column), row[column]] as const),
      ...written.map(([target, { read }]) => [nameOf(target), read(row)] as const),
    ].filter(([, value]) => !isBlank(value))
    if (found.length > 0) return Object.fromEntries(found)
    return Object.hasOwn(row, field) && field === ATTRIBUTES ? row[field] : undefined
  }
}

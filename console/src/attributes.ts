type Attributes = Readonly<Record<string, unknown>>

/** Attributes in a line, by name: `category: tea; tags: green, loose`. */
export function attributesText(attributes: Attributes = {}): string {
  return sortedAttributes(attributes)
    .map(([name, value]) => `${name}: ${attributeText(value)}`)
    .join('; ')
}

/** By name: the order in which they come means nothing. */
export function sortedAttributes(attributes: Attributes): [string, unknown][] {
  return Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The value of an attribute. */
export function attributeText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Whether any record has attributes: the others need no column for them. */
export function haveAttributes(records: readonly Readonly<{ attributes?: Attributes }>[] | undefined): boolean {
  return records?.some(({ attributes = {} }) => Object.keys(attributes).length > 0) === true
}

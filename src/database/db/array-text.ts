/**
 * Formats a list as a PostgreSQL array literal. Every string is quoted, so NULL, braces, commas and blanks are taken literally.
 * Errors: TypeError for an item that is not a string, number, boolean, null or bytes.
 */
export function arrayText(list: readonly unknown[]): string {
  const items = new Array<string>(list.length)
  for (let i = 0; i < list.length; i++) items[i] = arrayItem(list[i])
  return `{${items.join(',')}}`
}

function arrayItem(value: unknown): string {
  if (typeof value === 'string') return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return `"\\\\x${hex(value)}"`
  throw new TypeError('a list may hold text, numbers, booleans, null and bytes')
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

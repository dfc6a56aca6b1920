const SHOWN_LENGTH_MAX = 60

/** An issue of a value: what was expected, as a kind to count by, and a sentence that also shows what was sent. */
export function expected(kind: string, got?: string): Readonly<{ kind: string; error: string }> {
  return { kind, error: got === undefined ? `expected ${kind}` : `expected ${kind}, got ${got}` }
}

/** A value for use in an error message: at most 60 characters, control characters escaped (decision 4). */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' ? `"${shortened(value)}"` : String(value)
}

/** The first 60 characters of a text, with control characters and lone surrogates escaped. */
export function shortened(text: string): string {
  // Cut twice: by code units before spreading, so that megabytes of text cost nothing, then by code points.
  const points = [...text.slice(0, 2 * SHOWN_LENGTH_MAX + 2)]
  const start = points.slice(0, SHOWN_LENGTH_MAX).join('')
  const escaped = start.replace(
    /[\p{Cc}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return points.length > SHOWN_LENGTH_MAX ? `${escaped}...` : escaped
}

/** A character of the basic plane as JSON escapes it: `\u001b`. */
export function escapedCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Escapes control characters, which a terminal would take for commands, and those that reorder what follows, such as U+202E: a stored text could
 * pass itself off as another.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, escapedCharacter)
}

/** The same for multi-line text: line breaks and tabs stay. */
export function escapeControlsInLines(text: string): string {
  return text.replace(/[^\t\n]+/g, escapeControls)
}

/** `1 order`, `2 orders`. */
export function count(number: number | bigint | string, noun: string): string {
  return String(number) === '1' ? `1 ${noun}` : `${number} ${noun}s`
}

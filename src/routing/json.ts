/** The content type of every JSON answer. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The JSON of an answer; it ends with a newline, so that a terminal shows its prompt on a line of its own. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

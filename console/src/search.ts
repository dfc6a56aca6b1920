/** The search for a player by what a person has in hand: an address, or an id, a code or a number, which look alike. */
export function searchOf(text: string): Readonly<Record<string, string>> {
  if (text.includes('@')) return { email: text }
  const phone = /^[+\d][\d .()-]{5,}$/.test(text) ? { phone: text } : {}
  return { user_id: text, refer_code: text, ...phone }
}

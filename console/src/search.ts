/** The search for a player by an e-mail address, or by an id, a code or a phone number, which look alike. */
export function searchOf(text: string): Readonly<Record<string, string>> {
  if (text.includes('@')) return { email: text }
  const phone = /^[+\d][\d .()-]{5,}$/.test(text) ? { phone: text } : {}
  return { user_id: text, refer_code: text, ...phone }
}
